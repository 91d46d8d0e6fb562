package transforms_test

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/beameval/beameval/transforms"
)

// The report of a week from the statistics of its nights, on any runner. The reports of nights were written with
// Output.Statistics.
func ExampleMerge() {
	nights, err := transforms.OpenParts(context.Background(), []string{"reports/dt=2026-11-27", "reports/dt=2026-11-28"}, transforms.PartsOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, s := beam.NewPipelineWithRoot()
	out := nights.Output // as the reports have it
	out.Dir = "reports/week=48"
	transforms.Merge(s, nights).WriteReport(s, out)
	if _, err := beam.Run(context.Background(), "dataflow", p); err != nil {
		fmt.Println(err)
	}
}
