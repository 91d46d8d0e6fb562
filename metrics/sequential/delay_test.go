package sequential

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// usual is the gate of a monitor with one series.
var usual = Gate{BurnIn: 14, Threshold: 365}

// TestDelay: a larger fall, a longer past and a lower threshold raise the alarm sooner.
func TestDelay(t *testing.T) {
	require.Equal(t, usual.Delay(60, 2), usual.Delay(60, 2))
	require.Greater(t, usual.Delay(60, 1), usual.Delay(60, 2))
	require.Greater(t, usual.Delay(20, 2), usual.Delay(200, 2))
	more := usual
	more.Threshold *= 20
	require.Greater(t, more.Delay(60, 2), usual.Delay(60, 2))
	require.Equal(t, math.Inf(1), more.Delay(60, 0), "nothing has changed")
}

// TestDelayIsWatched: it is what Watch takes on series of normal nights, whose change it is told.
func TestDelayIsWatched(t *testing.T) {
	const before, fall = 60, 2
	r := rand.New(rand.NewPCG(3, 1))
	var all []float64
	for range 200 {
		nights := make([]Night, before+100)
		for i := range nights {
			nights[i] = Night{Name: string(rune('a' + i)), Day: i, Value: r.NormFloat64()}
			if i >= before {
				nights[i].Value -= fall
			}
		}
		_, alarms := usual.Watch("a", nights, 0)
		at := slices.IndexFunc(alarms, func(a Alarm) bool { return a.At >= before })
		require.GreaterOrEqual(t, at, 0)
		all = append(all, float64(alarms[at].At-before+1))
	}
	slices.Sort(all)
	require.InDelta(t, all[len(all)/2], usual.Delay(before, fall), 1)
}
