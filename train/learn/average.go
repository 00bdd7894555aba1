package learn

import (
	"kosumi/nn/ort"
)

// The average of the weights is taken as KataGo's trainer does (spec: training, 4.3): at
// regular intervals, average += (snapshot - average)/Window. The first Window snapshots have equal
// weight in it, so that the early weights do not linger.

// startAverage sets the average to the present weights. The first snapshot replaces it.
func (l *Learner) startAverage() error {
	if err := l.weights.fetch(); err != nil {
		return err
	}
	l.average = map[string]*ort.Tensor{}
	for _, name := range l.averagedNames() {
		t, err := ort.NewTensor(l.weights.tensors[name][0].Dims...)
		if err != nil {
			return err
		}
		copy(t.Data, l.weights.data(name))
		l.average[name] = t
	}
	l.count.Snapshots = 0
	l.count.NextSnap = l.conf.Average.Every
	return nil
}

// averagedNames lists the names of all weights, then of all statistics of batch normalization.
func (l *Learner) averagedNames() []string {
	var names []string
	for _, q := range l.params {
		names = append(names, q.Name)
	}
	for _, s := range l.stats {
		names = append(names, s.Name)
	}
	return names
}

func (l *Learner) moveAverage() error {
	if l.average == nil || l.count.Samples < l.count.NextSnap {
		return nil
	}
	if err := l.weights.fetch(); err != nil {
		return err
	}
	for l.count.NextSnap <= l.count.Samples {
		l.count.NextSnap += l.conf.Average.Every
	}
	l.count.Snapshots++
	by := float32(1 / min(float64(l.count.Snapshots), l.conf.Average.Window))
	for _, name := range l.averagedNames() {
		avg, now := l.average[name].Data, l.weights.data(name)
		for i := range avg {
			avg[i] += (now[i] - avg[i]) * by
		}
	}
	return nil
}
