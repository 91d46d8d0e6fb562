package metrics

import "github.com/beameval/beameval/metrics/curves"

// Drawing holds the points of the curves of a label, which may be PooledLabel.
type Drawing struct {
	Label       int
	ROC         []curves.ROCPoint
	PR          []curves.PRPoint
	Calibration []CalibrationPoint
}

// drawnCurves is the number of curves, over labels and slices, that are drawn on a grid of
// CurveLines. If there are more, the grid is coarser, so that all curves together have some
// millions of points.
const drawnCurves = 1000

// fewestLines is the coarsest grid for which a drawing is worthwhile.
const fewestLines = 8

// Lines returns the number of lines of each drawing's grid for the given number of slices. It is 0
// if there are too many slices for drawings.
func (p *Params) Lines(slices int) int {
	lines := p.CurveLines
	if n := slices * p.scored(); n > drawnCurves {
		lines = lines * drawnCurves / n
	}
	if lines < fewestLines {
		return 0
	}
	return lines
}

// Drawings returns the curves of the examples of a partial, which belongs to one of the given
// number of slices: the curves of all labels that get results of their own, and that of all labels
// pooled. Drawings without points are left out. It returns nil if weights are too large, or if the
// partial was folded under other Params.
func (p *Params) Drawings(partial *Partial, o Options, slices int) []Drawing {
	lines := p.Lines(slices)
	if p = p.orNothing(); lines == 0 || !partial.fits(p) || partial.tooHeavy() {
		return nil
	}
	e := &evaluation{params: p, partial: partial, options: o}
	var list []Drawing
	labels := []int{0}
	if p.Task != Binary {
		labels = append([]int{pooled}, e.labels()...)
	}
	for _, label := range labels {
		d := Drawing{Label: label, Calibration: e.reliability(label)}
		if outline := e.outline(label, lines); outline != nil {
			d.ROC, d.PR = outline.ROC(), outline.PR()
		}
		if d.ROC != nil || d.PR != nil || d.Calibration != nil {
			list = append(list, d)
		}
	}
	return list
}

// outline returns the outline of the curve of a label, or nil.
func (e *evaluation) outline(label, lines int) *curves.Outline {
	if h := e.histogram(label); h != nil {
		return h.Outline(lines)
	}
	if c := e.curveOf(label); !c.Empty() {
		return &c.Outline
	}
	return nil
}

// Thresholds returns the best threshold of each label by p.Tuning, or NaN if a label has none. It
// returns nil if p is invalid or has no Tuning, or if the partial was folded under other Params.
func (p *Params) Thresholds(partial *Partial) []float64 {
	if p = p.orNothing(); p.Tuning == nil || !partial.fits(p) {
		return nil
	}
	e := &evaluation{params: p, partial: partial}
	list := make([]float64, p.scored())
	for label := range list {
		v := Undefined(noExamples)
		if partial.tooHeavy() {
			v = Undefined(weightsTooLarge)
		} else if h := e.histogram(label); h != nil {
			v = ofCurve(e.boundsOf(label, h).Threshold(*p.Tuning))
		} else if c := e.curveOf(label); !c.Empty() {
			v = ofCurve(c.Areas.Operating(*p.Tuning).Threshold)
		}
		list[label] = v.Number
	}
	return list
}
