package learn

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kosumi/internal/file"
	"kosumi/nn/ort"
)

// A checkpoint is a folder that is renamed into place when complete:
//
// <dir>/step-000000001200-00012/tensors.safetensors weights, statistics, optimizer state, averages
// <dir>/step-000000001200-00012/state.json counters, digests, and the caller's additions
//
// The second number counts checkpoints. A checkpoint is written and synced under a temporary name,
// then renamed, and the parent folder is synced. The newest checkpoints are kept.

const (
	tensorsFile    = "tensors.safetensors"
	stateFile      = "state.json"
	checkpointName = "step-%012d-%05d"
	temporary      = ".writing-"
	averagePrefix  = "average/"
	stateFormat    = 1
)

// KeepCheckpoints is how many of the newest checkpoints Save leaves in a folder.
const KeepCheckpoints = 4

// Extra is the caller's state in a checkpoint, such as its position in the stream of batches.
type Extra map[string][]byte

type checkpointState struct {
	Format   int             `json:"format"`
	Counters Counters        `json:"counters"`
	Source   Source          `json:"source"`
	Identity string          `json:"identity"` // digest of Config
	Config   json.RawMessage `json:"config"`   // for people, and for naming the settings that differ
	Tensors  string          `json:"tensors_sha256"`
	Extra    Extra           `json:"extra,omitempty"`
	Digest   string          `json:"digest,omitempty"` // of this file with an empty digest
}

// Save writes a checkpoint into dir, syncs it to disk and returns its path. It then removes all
// checkpoints but the newest KeepCheckpoints and, in a [Run], the one with the best measurement.
func (l *Learner) Save(dir string, extra Extra) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	l.count.Saved++
	name := fmt.Sprintf(checkpointName, l.count.Steps, l.count.Saved)
	path := filepath.Join(dir, name)
	tmp := filepath.Join(dir, temporary+name)
	if err := l.write(tmp, extra); err != nil {
		os.RemoveAll(tmp)
		return "", fmt.Errorf("save checkpoint: %w", err)
	}
	// Only a damaged checkpoint, which Resume skipped, can have that name.
	if err := os.RemoveAll(path); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, path); err != nil {
		return "", err
	}
	if err := file.SyncFolder(dir); err != nil {
		return "", err
	}
	return path, prune(dir, path, l.kept)
}

func (l *Learner) write(tmp string, extra Extra) error {
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	if err := os.Mkdir(tmp, 0o755); err != nil {
		return err
	}
	if err := l.weights.fetch(); err != nil {
		return err
	}
	var list []namedTensor
	for name, t := range l.tensors() {
		list = append(list, namedTensor{name, t.Dims, t.Data})
	}
	hash := sha256.New()
	if err := file.Write(filepath.Join(tmp, tensorsFile), func(w io.Writer) error {
		return writeTensors(io.MultiWriter(w, hash), list)
	}); err != nil {
		return err
	}
	conf, err := json.Marshal(&l.conf)
	if err != nil {
		return err
	}
	state := checkpointState{
		Format: stateFormat, Counters: l.count, Source: l.source, Identity: l.conf.identity(), Config: conf,
		Tensors: hex.EncodeToString(hash.Sum(nil)), Extra: extra,
	}
	if state.Digest, err = state.digest(); err != nil {
		return err
	}
	return file.WriteJSON(filepath.Join(tmp, stateFile), &state, "  ")
}

// tensors yields the tensors of a checkpoint in their order: weights, then averages, if there are any.
func (l *Learner) tensors() iter.Seq2[string, *ort.Tensor] {
	return func(yield func(string, *ort.Tensor) bool) {
		for _, name := range l.weights.names {
			if !yield(name, l.weights.tensors[name][l.weights.side]) {
				return
			}
		}
		for _, name := range l.averagedNames() {
			if t := l.average[name]; t != nil && !yield(averagePrefix+name, t) {
				return
			}
		}
	}
}

// digest returns a digest of everything in the state but the digest itself.
func (s checkpointState) digest() (string, error) {
	s.Digest = ""
	text, err := json.Marshal(&s)
	return fmt.Sprintf("%x", sha256.Sum256(text)), err
}

// Checkpoints lists the checkpoints in a folder, newest first; none if the folder does not exist.
func Checkpoints(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		var step, number int64
		if n, err := fmt.Sscanf(e.Name(), checkpointName, &step, &number); n == 2 && err == nil && e.IsDir() {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	slices.Reverse(list) // ReadDir sorts by name, the oldest first
	return list, nil
}

// StepOf returns the step of a checkpoint from its path.
func StepOf(path string) (step int64) {
	_, _ = fmt.Sscanf(filepath.Base(path), checkpointName, &step, new(int64))
	return step
}

// prune removes old checkpoints and the remains of interrupted saves. It never removes the checkpoint
// at the path keep, which was just written, nor the newest one of step number kept (0: no such step).
func prune(dir, keep string, kept int64) error {
	list, err := Checkpoints(dir)
	if err != nil {
		return err
	}
	var faults []error
	for i, path := range list {
		if kept > 0 && StepOf(path) == kept {
			kept = 0
			continue
		}
		if i >= KeepCheckpoints && path != keep {
			faults = append(faults, os.RemoveAll(path))
		}
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), temporary) {
			faults = append(faults, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return errors.Join(append(faults, err)...)
}

// Resume makes a learner from the newest undamaged checkpoint in dir; it logs and skips damaged
// ones. The settings of c that identify a run (see Config) and the content of c.Model must be the same
// as in the checkpoint. It also returns the Extra given to Save. Errors wrap ErrNoCheckpoint,
// ErrCheckpoint, or an error of New.
func Resume(dir string, c Config) (*Learner, Extra, error) {
	l, err := planned(c)
	if err != nil {
		return nil, nil, err
	}
	extra, err := l.resume(dir)
	if err != nil {
		l.Close()
		return nil, nil, err
	}
	return l, extra, nil
}

// resume starts a planned learner at a checkpoint. If there is none, the learner has not started.
func (l *Learner) resume(dir string) (Extra, error) {
	list, err := Checkpoints(dir)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w in %s", ErrNoCheckpoint, dir)
	}
	if err := l.start(); err != nil {
		return nil, err
	}
	for _, path := range list {
		extra, err := l.load(path)
		if err == nil || errors.Is(err, errOtherRun) { // older checkpoints belong to that other run too
			return extra, err
		}
		l.conf.Log.Warn("checkpoint passed over", "error", err)
	}
	return nil, fmt.Errorf("%w: all %d in %s are damaged: copy one there from a backup, or delete that folder to train again from the start", ErrCheckpoint, len(list), dir)
}

// SettingsError says that a checkpoint belongs to a run with other settings. It
// wraps ErrCheckpoint.
type SettingsError struct {
	Path    string
	Changed []Change // empty if the settings cannot be compared
}

// Change is a setting of [Config], by its name in JSON, with its values as JSON.
type Change struct{ Name, Was, Is string }

func (e *SettingsError) Unwrap() error { return errOtherRun }

func (e *SettingsError) Error() string {
	var list []string
	for _, c := range e.Changed {
		list = append(list, fmt.Sprintf("%s was %s and is %s now", c.Name, c.Was, c.Is))
	}
	return fmt.Sprintf("%v: %s was made with other settings: %s", ErrCheckpoint, e.Path, strings.Join(list, "; "))
}

// Names returns the names of the changed settings, for messages.
func (e *SettingsError) Names() string {
	var names []string
	for _, c := range e.Changed {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// errOtherRun marks a sound checkpoint of a run with other settings.
var errOtherRun = fmt.Errorf("%w", ErrCheckpoint)

// LoadWeights loads the weights of a checkpoint, not its counters. After an error the learner is
// unchanged.
func (l *Learner) LoadWeights(path string) error {
	count := l.count
	_, err := l.load(path)
	l.count = count
	return err
}

// load loads a checkpoint. After an error the learner is unchanged.
func (l *Learner) load(path string) (Extra, error) {
	state, err := readState(path)
	if err != nil {
		return nil, err
	}
	if state.Source.SHA256 != l.source.SHA256 {
		return nil, fmt.Errorf("%w: %s: it was trained from %s (sha256 %.12s), not from %s (sha256 %.12s): give the first network to resume, or another folder to start over",
			errOtherRun, path, state.Source.Path, state.Source.SHA256, l.source.Path, l.source.SHA256)
	}
	if state.Identity != l.conf.identity() {
		return nil, &SettingsError{path, l.differences(state.Config)}
	}
	data, err := os.ReadFile(filepath.Join(path, tensorsFile))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCheckpoint, path, err)
	}
	if fmt.Sprintf("%x", sha256.Sum256(data)) != state.Tensors {
		return nil, fmt.Errorf("%w: %s: %s is damaged: its sha256 is not the one noted", ErrCheckpoint, path, tensorsFile)
	}
	tensors, err := readTensors(data)
	if err == nil {
		err = l.matchTensors(tensors)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for name, t := range l.tensors() {
		copy(t.Data, tensors[name].data)
		t.Changed()
	}
	l.count = state.Counters
	return state.Extra, nil
}

func readState(path string) (*checkpointState, error) {
	text, err := os.ReadFile(filepath.Join(path, stateFile))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrCheckpoint, path, err)
	}
	bad := func(format string, args ...any) error {
		return fault(ErrCheckpoint, "%s: %s: %w", path, stateFile, fmt.Errorf(format, args...))
	}
	var state checkpointState
	if err := json.Unmarshal(text, &state); err != nil {
		return nil, bad("%v", err)
	}
	if state.Format != stateFormat {
		return nil, bad("format %d; this program knows format %d", state.Format, stateFormat)
	}
	compact := new(bytes.Buffer)
	if err := json.Compact(compact, state.Config); err != nil {
		return nil, bad("%v", err)
	}
	state.Config = compact.Bytes()
	if sum, err := state.digest(); err != nil || sum != state.Digest {
		return nil, bad("it is damaged: its digest does not fit")
	}
	if err := state.Counters.check(); err != nil {
		return nil, bad("%v", err)
	}
	return &state, nil
}

func (c *Counters) check() error {
	for _, n := range []int64{c.Steps, c.Samples, c.Skipped, c.InARow, c.Snapshots, c.NextSnap, c.Updates, c.Saved} {
		if n < 0 || n > 1<<53 {
			return fmt.Errorf("its counters are out of range: %+v", *c)
		}
	}
	if c.Skipped+c.Updates != c.Steps || c.InARow > c.Skipped {
		return fmt.Errorf("its counters contradict each other: %+v", *c)
	}
	return nil
}

// matchTensors checks that a checkpoint has every tensor, with its shape and finite numbers.
func (l *Learner) matchTensors(tensors map[string]namedTensor) error {
	for name, want := range l.tensors() {
		t, ok := tensors[name]
		if !ok || !slices.Equal(t.dims, want.Dims) {
			return fmt.Errorf("%w: tensor %s is %v, should be %v", ErrCheckpoint, name, t.dims, want.Dims)
		}
		if !finite(t.data...) {
			return fmt.Errorf("%w: tensor %s holds what is not a finite number", ErrCheckpoint, name)
		}
	}
	return nil
}

// differences lists the settings that differ from those of a checkpoint.
func (l *Learner) differences(theirs json.RawMessage) []Change {
	ours, err := json.Marshal(&l.conf)
	var now, was map[string]json.RawMessage
	if err != nil || json.Unmarshal(ours, &now) != nil || json.Unmarshal(theirs, &was) != nil {
		return nil
	}
	var list []Change
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if !bytes.Equal(now[name], was[name]) {
			list = append(list, Change{name, string(was[name]), string(now[name])})
		}
	}
	return list
}
