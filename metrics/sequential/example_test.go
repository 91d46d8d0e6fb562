package sequential_test

import (
	"fmt"

	"github.com/beameval/beameval/metrics/sequential"
)

// After twenty nights that serve as a reference, a metric falls from the thirtieth night on.
func ExampleGate_Watch() {
	var nights []sequential.Night
	for day := range 60 {
		value := 0.8 + 0.001*float64(day*7%10)
		if day >= 30 {
			value -= 0.01
		}
		nights = append(nights, sequential.Night{Name: fmt.Sprint("night ", day), Day: day, Value: value})
	}
	gate := sequential.Gate{BurnIn: 20, Threshold: 365}
	_, alarms := gate.Watch("accuracy", nights, 0)
	for _, alarm := range alarms {
		fmt.Println(nights[alarm.At].Name, "says worse since", nights[alarm.Since].Name)
	}
	// Output: night 35 says worse since night 30
}
