package learn

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"

	"kosumi/internal/file"
)

// curve selects a number from a line of the metrics.
type curve struct {
	title string
	of    func(l *Line) (float64, bool)
}

func termCurve(title, name string) curve {
	return curve{title, func(l *Line) (float64, bool) { v, ok := l.Terms[name]; return v, ok }}
}

// divergence returns the curve of a cross entropy minus the entropy of its target.
func divergence(title, name, entropy string) curve {
	return curve{title, func(l *Line) (float64, bool) {
		v, ok := l.Terms[name]
		return v - l.Terms[entropy], ok
	}}
}

var curves = []curve{
	{"loss", func(l *Line) (float64, bool) { return l.Loss, true }},
	divergence("policy divergence (nats)", TermPolicy, MeasurePolicyEntropy),
	termCurve("policy top-1", MeasurePolicyTop1),
	divergence("value", TermValue, MeasureValueEntropy),
	termCurve("value accuracy", MeasureValueAccuracy),
	termCurve("ownership", TermOwnership),
	termCurve("score mean", TermScoreMean),
	termCurve("policy off the teacher's (nats)", MeasureTaughtKL),
	termCurve("winrate off the teacher's", MeasureWinrateError),
	termCurve("lead off the teacher's (points)", MeasureLeadError),
	termCurve("ownership off the teacher's", MeasureOwnershipError),
	{"learning rate", func(l *Line) (float64, bool) { return l.Rate, l.Kind == "step" && l.Rate > 0 }},
}

// kinds lists the lines of a panel, each by its kind in the metrics, its name and its colour.
var kinds = [...][3]string{
	{"step", "training", "#4c78a8"},
	{"validation", "held back", "#e45756"},
	{"averaged", "averaged weights", "#54a24b"},
}

// The size of a panel in pixels, and the margins of its axes.
const (
	panelWidth, panelHeight  = 480, 280
	left, right, top, bottom = 64, 16, 44, 36
)

// DrawCurves draws the curves of a metrics file as an SVG image: a panel for each loss, against
// samples. Without any curve it writes nothing.
func DrawCurves(metrics, svg string) error {
	lines, err := ReadMetrics(metrics)
	if err != nil {
		return err
	}
	var panels bytes.Buffer
	count := 0
	for _, c := range curves {
		if drawPanel(&panels, c, lines, count%2*panelWidth, count/2*panelHeight) {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	width, height := 2*panelWidth, (count+1)/2*panelHeight
	return file.WriteBytes(svg, fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" font-family="sans-serif" font-size="11" fill="#444">
<rect width="100%%" height="100%%" fill="#fff"/>
%[3]s</svg>
`, width, height, panels.Bytes()))
}

// drawPanel draws a panel with its corner at x, y, one curve for each kind of line, and reports
// whether there is any curve.
func drawPanel(b *bytes.Buffer, c curve, lines []Line, x, y int) bool {
	var of [len(kinds)][]point
	var all []point
	for i := range kinds {
		of[i] = pointsOf(c, kinds[i][0], lines)
		all = append(all, of[i]...)
	}
	if len(all) == 0 {
		return false
	}
	horizontal := axisOf(all, func(p point) float64 { return p.samples }, left, panelWidth-right)
	vertical := axisOf(all, func(p point) float64 { return p.value }, panelHeight-bottom, top)
	fmt.Fprintf(b, "<g transform=\"translate(%d %d)\">\n<text x=\"%d\" y=\"16\" font-size=\"13\" text-anchor=\"middle\">%s</text>\n", x, y, panelWidth/2, html.EscapeString(c.title))
	for _, v := range vertical.ticks() {
		fmt.Fprintf(b, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n", left, vertical.at(v), panelWidth-right, left-6, vertical.at(v)+4, number(v))
	}
	for _, v := range horizontal.ticks() {
		fmt.Fprintf(b, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", horizontal.at(v), panelHeight-bottom+14, number(v))
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">samples</text>\n", (left+panelWidth-right)/2, panelHeight-6)
	key := left
	for i, points := range of {
		if len(points) == 0 {
			continue
		}
		name, color := kinds[i][1], kinds[i][2]
		fmt.Fprintf(b, "<g fill=%q><text x=\"%d\" y=\"34\">%s</text>", color, key, name)
		key += 7*len(name) + 16
		path := make([]byte, 0, 12*len(points))
		for _, p := range points {
			path = fmt.Appendf(path, " %.1f,%.1f", horizontal.at(p.samples), vertical.at(p.value))
			if kinds[i][0] != "step" || len(points) == 1 {
				fmt.Fprintf(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>", horizontal.at(p.samples), vertical.at(p.value))
			}
		}
		fmt.Fprintf(b, "<polyline points=%q fill=\"none\" stroke=%q/></g>\n", path[1:], color)
	}
	b.WriteString("</g>\n")
	return true
}

// axis maps values from low to high onto pixels.
type axis struct {
	low, high float64
	from, to  float64
}

func axisOf(points []point, value func(point) float64, from, to float64) axis {
	a := axis{math.Inf(1), math.Inf(-1), from, to}
	for _, p := range points {
		a.low, a.high = min(a.low, value(p)), max(a.high, value(p))
	}
	if a.low == a.high { // a constant curve still needs an axis with length
		half := max(math.Abs(a.low)/2, 1e-6)
		a.low, a.high = a.low-half, a.high+half
	}
	return a
}

func (a axis) at(v float64) float64 { return a.from + (v-a.low)/(a.high-a.low)*(a.to-a.from) }

// ticks are the three to seven round numbers on the axis.
func (a axis) ticks() []float64 {
	step := math.Pow(10, math.Floor(math.Log10((a.high-a.low)/3)))
	for _, factor := range []float64{5, 2} {
		if (a.high-a.low)/(factor*step) >= 3 {
			step *= factor
			break
		}
	}
	var ticks []float64
	for k := math.Ceil(a.low / step); k*step <= a.high; k++ {
		ticks = append(ticks, k*step)
	}
	return ticks
}

// number writes a tick without the noise of binary fractions.
func number(v float64) string {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64) // always a number
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// point is a value of a curve after a number of samples.
type point struct{ samples, value float64 }

// pointsOf collects a curve, thinned to the resolution of a panel.
func pointsOf(c curve, kind string, lines []Line) []point {
	var all []point
	for i := range lines {
		if lines[i].Kind != kind {
			continue
		}
		if v, ok := c.of(&lines[i]); ok && !math.IsNaN(v) && !math.IsInf(v, 0) {
			all = append(all, point{float64(lines[i].Samples), v})
		}
	}
	const most = 500
	if len(all) <= most {
		return all
	}
	group := (len(all) + most - 1) / most
	var thin []point
	for part := range slices.Chunk(all, group) {
		var mean point
		for _, p := range part {
			mean.samples, mean.value = mean.samples+p.samples/float64(len(part)), mean.value+p.value/float64(len(part))
		}
		thin = append(thin, mean)
	}
	return thin
}
