package columns

import (
	"fmt"
	"time"
)

// Dates, times and timestamps are read as text. The layouts drop trailing zeros of the fraction,
// so that a moment has the same text whatever the format and the unit of the file.
const (
	clock     = "15:04:05.999999999"
	localTime = time.DateOnly + "T" + clock
)

// AppendDate appends the date of a number of days since 1970.
func AppendDate(dst []byte, days int64) []byte {
	return time.Unix(days*86400, 0).UTC().AppendFormat(dst, time.DateOnly)
}

// AppendTimestamp appends a number of units since 1970, with a Z if it is an instant and without
// a zone if it is a local time.
func AppendTimestamp(dst []byte, v int64, unit time.Duration, utc bool) []byte {
	perSecond := int64(time.Second / unit)
	return AppendInstant(dst, time.Unix(v/perSecond, v%perSecond*int64(unit)), utc)
}

// AppendInstant is AppendTimestamp for a time.
func AppendInstant(dst []byte, t time.Time, utc bool) []byte {
	dst = t.UTC().AppendFormat(dst, localTime)
	if utc {
		dst = append(dst, 'Z')
	}
	return dst
}

// AppendTime appends the time of day that is a number of units after midnight.
func AppendTime(dst []byte, v int64, unit time.Duration) ([]byte, error) {
	if v < 0 || v >= int64(24*time.Hour/unit) {
		return nil, fmt.Errorf("time of day %d is outside the day", v)
	}
	return time.Unix(0, v*int64(unit)).UTC().AppendFormat(dst, clock), nil
}
