package metrics

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/beameval/beameval/internal/settings"
)

// irMeasure is a measure as ir_measures writes it: nDCG(dcg='exp-log2')@10.
var irMeasure = regexp.MustCompile(`^([A-Za-z]+)\(([^()]*)\)(@[0-9]+)?$`)

// irParameter is a parameter in the brackets of a measure.
var irParameter = regexp.MustCompile(`(\w+) *= *(\{[^}]*\}|[^,]*)`)

// inBrackets explains a name of ir_measures with parameters in brackets, which are keys here and hold for all
// metrics. It returns nil if the name is none.
func (p *Params) inBrackets(name string, with Arguments) error {
	parts := irMeasure.FindStringSubmatch(name)
	if p.Task != Ranking || parts == nil {
		return nil
	}
	base, at := parts[1], parts[3]
	var set []string
	for _, parameter := range irParameter.FindAllStringSubmatch(parts[2], -1) {
		key, value := parameter[1], strings.Trim(parameter[2], `'" `)
		switch {
		case key == "cutoff":
			at = "@" + value
		case key == "p":
			at = "@" + value
			set = append(set, "mind that items are either relevant or not")
		case key == "rel":
			set = append(set, fmt.Sprintf("set %s to %s", p.Names.Of(settings.RelevantFrom), value))
		case key == "dcg" && value == "exp-log2":
			set = append(set, fmt.Sprintf("set %s", p.Names.Of(settings.ExponentialGain)))
		case key == "dcg" && value == "log2":
			set = append(set, fmt.Sprintf("set %s", p.Names.Of(settings.LinearGain)))
		case key == "gains":
			set = append(set, "write these gains into the label column")
		case key == "judged_only":
			set = append(set, "leave items without a judgement out of the predictions")
		default:
			set = append(set, fmt.Sprintf("there is nothing like %s", key))
		}
	}
	main, err := find(p.Task, plain(base+at), with)
	if err != nil || len(main) == 0 {
		return nil
	}
	text := "write " + main[0].full
	if at == "" && len(main) > 1 {
		text = "write " + plain(base)
	}
	return fmt.Errorf("metric %q has parameters in brackets, as in ir_measures: %s", name, strings.Join(append([]string{text}, set...), ", and "))
}
