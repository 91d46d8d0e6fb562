package columns

import (
	"bytes"
	"fmt"
	"time"
)

// Dates, times and timestamps are read as text. Their texts have no trailing zeros in
// the fraction, so that equal moments have equal text in every format and unit.
const localTime = time.DateOnly + "T15:04:05.999999999"

// Moment is a logical type of numbers that represent moments.
type Moment struct {
	Logical
	Code Coder[int64]
}

// Day is the unit of dates that are stored as days.
const Day = 24 * time.Hour

// Date returns the type of dates that are stored as a number of units since 1970.
func Date(unit time.Duration) Moment {
	return moment("date", func(dst []byte, v int64) ([]byte, error) {
		return timeOf(v, unit).AppendFormat(dst, time.DateOnly), nil
	})
}

// Timestamp returns the type of timestamps that are stored as a number of units since 1970.
// Instants (utc) are written with a Z, local times without a zone.
func Timestamp(unit time.Duration, utc bool) Moment {
	name := unitName(unit)
	if utc {
		name += ", UTC"
	}
	return moment("timestamp["+name+"]", func(dst []byte, v int64) ([]byte, error) {
		return AppendTimestamp(dst, timeOf(v, unit), utc), nil
	})
}

// AppendTimestamp appends the text of a timestamp.
func AppendTimestamp(dst []byte, t time.Time, utc bool) []byte {
	dst = t.UTC().AppendFormat(dst, localTime)
	if utc {
		dst = append(dst, 'Z')
	}
	return dst
}

// TimeOfDay returns the type of times of day that are stored as a number of units since midnight.
// The end of a day is 24:00:00. Durations, which some programs store as times, may be longer, or
// negative: 31:30:00, -00:00:01.
func TimeOfDay(unit time.Duration) Moment {
	perSecond := uint64(time.Second / unit)
	return moment("time["+unitName(unit)+"]", func(dst []byte, v int64) ([]byte, error) {
		units := uint64(v)
		if v < 0 {
			dst, units = append(dst, '-'), -units
		}
		seconds := units / perSecond
		dst = fmt.Appendf(dst, "%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
		if nanos := units % perSecond * uint64(unit); nanos > 0 {
			dst = bytes.TrimRight(fmt.Appendf(dst, ".%09d", nanos), "0")
		}
		return dst, nil
	})
}

func moment(name string, format func([]byte, int64) ([]byte, error)) Moment {
	return Moment{Logical{String, 0, name}, CodeText(format)}
}

// timeOf returns the instant v units after the beginning of 1970.
func timeOf(v int64, unit time.Duration) time.Time {
	if unit == Day {
		return time.Unix(v*86400, 0).UTC()
	}
	perSecond := int64(time.Second / unit)
	return time.Unix(v/perSecond, v%perSecond*int64(unit)).UTC()
}

func unitName(unit time.Duration) string {
	return map[time.Duration]string{time.Second: "s", time.Millisecond: "ms", time.Microsecond: "us", time.Nanosecond: "ns"}[unit]
}
