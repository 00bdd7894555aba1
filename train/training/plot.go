package training

import (
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"kosumi/internal/file"
	"kosumi/train/learn"
)

// curve names what a panel shows of a line of the metrics.
type curve struct {
	title string
	of    func(l *Line) (float64, bool)
}

func termCurve(title, name string) curve {
	return curve{title, func(l *Line) (float64, bool) { v, ok := l.Terms[name]; return v, ok }}
}

// divergence is a cross entropy less the entropy of its target, where both are
// known.
func divergence(title, name, entropy string) curve {
	return curve{title, func(l *Line) (float64, bool) {
		v, ok := l.Terms[name]
		return v - l.Terms[entropy], ok
	}}
}

var curves = []curve{
	{"loss", func(l *Line) (float64, bool) { return l.Loss, true }},
	divergence("policy divergence (nats)", learn.TermPolicy, learn.MeasurePolicyEntropy),
	termCurve("policy top-1", learn.MeasurePolicyTop1),
	divergence("value", learn.TermValue, learn.MeasureValueEntropy),
	termCurve("value accuracy", learn.MeasureValueAccuracy),
	termCurve("ownership", learn.TermOwnership),
	termCurve("score mean", learn.TermScoreMean),
	termCurve("policy off the teacher's (nats)", learn.MeasureTaughtKL),
	termCurve("winrate off the teacher's", learn.MeasureWinrateError),
	termCurve("lead off the teacher's (points)", learn.MeasureLeadError),
	termCurve("ownership off the teacher's", learn.MeasureOwnershipError),
	{"learning rate", func(l *Line) (float64, bool) { return l.Rate, l.Kind == "step" && l.Rate > 0 }},
}

var curveColors = map[string]color.Color{
	"step":       color.RGBA{R: 0x4c, G: 0x78, B: 0xa8, A: 0xff},
	"validation": color.RGBA{R: 0xe4, G: 0x57, B: 0x56, A: 0xff},
	"averaged":   color.RGBA{R: 0x54, G: 0xa2, B: 0x4b, A: 0xff},
}

// Plot draws the curves of a metrics file as a PNG image: a panel for each loss
// that there is, against samples.
func Plot(metrics, png string) error {
	lines, err := ReadMetrics(metrics)
	if err != nil {
		return err
	}
	var panels []*plot.Plot
	for _, c := range curves {
		if p, err := panel(c, lines); err != nil {
			return err
		} else if p != nil {
			panels = append(panels, p)
		}
	}
	if len(panels) == 0 {
		return nil
	}
	const columns = 2
	rowCount := (len(panels) + columns - 1) / columns
	grid := make([][]*plot.Plot, rowCount)
	for i := range grid {
		grid[i] = make([]*plot.Plot, columns)
		copy(grid[i], panels[i*columns:min((i+1)*columns, len(panels))])
	}
	img := vgimg.New(10*vg.Inch, vg.Length(rowCount)*3*vg.Inch)
	tiles := draw.Tiles{Rows: rowCount, Cols: columns, PadX: vg.Points(16), PadY: vg.Points(16), PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 8}
	for i, line := range plot.Align(grid, tiles, draw.New(img)) {
		for j, canvas := range line {
			if grid[i][j] != nil {
				grid[i][j].Draw(canvas)
			}
		}
	}
	return file.Write(png, func(w io.Writer) error {
		_, err := vgimg.PngCanvas{Canvas: img}.WriteTo(w)
		return err
	})
}

// panel draws one curve of each kind of line; nil where no line has it.
func panel(c curve, lines []Line) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = c.title
	p.X.Label.Text = "samples"
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	some := false
	for _, kind := range []string{"step", "validation", "averaged"} {
		points := pointsOf(c, kind, lines)
		if len(points) == 0 {
			continue
		}
		some = true
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, dots.Color, dots.Radius = curveColors[kind], curveColors[kind], vg.Points(1.5)
		p.Add(line)
		if kind != "step" || len(points) == 1 {
			p.Add(dots)
		}
		p.Legend.Add(map[string]string{"step": "training", "validation": "held back", "averaged": "averaged weights"}[kind], line)
	}
	if !some {
		return nil, nil
	}
	if p.Y.Min == p.Y.Max { // a constant: an axis with more than one number
		half := max(math.Abs(p.Y.Min)/2, 1e-6)
		p.Y.Min, p.Y.Max = p.Y.Min-half, p.Y.Max+half
	}
	return p, nil
}

// pointsOf collects a curve, thinned to what a panel can show.
func pointsOf(c curve, kind string, lines []Line) plotter.XYs {
	var all plotter.XYs
	for i := range lines {
		if lines[i].Kind != kind {
			continue
		}
		if y, ok := c.of(&lines[i]); ok && !math.IsNaN(y) && !math.IsInf(y, 0) {
			all = append(all, plotter.XY{X: float64(lines[i].Samples), Y: y})
		}
	}
	const most = 500
	if len(all) <= most {
		return all
	}
	group := (len(all) + most - 1) / most
	var thin plotter.XYs
	for part := range slices.Chunk(all, group) {
		var x, y float64
		for _, pt := range part {
			x, y = x+pt.X, y+pt.Y
		}
		n := float64(len(part))
		thin = append(thin, plotter.XY{X: x / n, Y: y / n})
	}
	return thin
}
