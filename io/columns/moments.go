package columns

import (
	"fmt"
	"time"
)

// Dates, times and timestamps are read as text. The layouts drop trailing zeros of the fraction, so
// that equal moments have equal text in every format and unit.
const (
	clock     = "15:04:05.999999999"
	localTime = time.DateOnly + "T" + clock
)

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
func TimeOfDay(unit time.Duration) Moment {
	return moment("time["+unitName(unit)+"]", func(dst []byte, v int64) ([]byte, error) {
		if v < 0 || v >= int64(24*time.Hour/unit) {
			return nil, fmt.Errorf("time of day %d is outside the day", v)
		}
		return time.Unix(0, v*int64(unit)).UTC().AppendFormat(dst, clock), nil
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
