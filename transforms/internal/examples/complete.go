package examples

import (
	"math/bits"

	"github.com/beameval/beameval/internal/wire"
	"github.com/beameval/beameval/transforms/internal/rows"
)

// The examples of a bucket are complete if each has one row for each class. That is found
// without putting them together. With two random functions of hashes, g of ids and h of
// classes, the sum of g(id)·h(class) over all rows is then the sum of g over the ids times
// the sum of h over the classes. If rows are missing or there twice, the difference of both
// is a polynomial of the random values that is not zero; by the lemma of Schwartz (1980) and
// Zippel (1979) its value is 0 with a probability of at most 2 in 2⁶¹, the size of the field.

// fingerprint is what is known of the rows of a bucket: how many there are, and the sum of
// g(id)·h(class); or that not all are counted.
type fingerprint struct {
	rows   int64
	sum    uint64
	partly bool
}

func (f *fingerprint) add(id, class uint64) {
	f.rows++
	f.sum = sum(f.sum, product(element61(id), element61(class)))
}

func (f *fingerprint) merge(from *fingerprint) {
	f.rows += from.rows
	f.sum = sum(f.sum, from.sum)
	f.partly = f.partly || from.partly
}

func fingerprintFields(c *wire.Coder, f *fingerprint) {
	wire.Int(c, &f.rows)
	c.Uint(&f.sum) // 0 for most: few jobs look for complete examples
	f.sum = sum(f.sum, 0)
	c.Bool(&f.partly)
}

// complete says whether the rows of a fingerprint are one for each id and class.
func (f *fingerprint) complete(ids, classes []uint64) bool {
	return !f.partly && f.rows == int64(len(ids))*int64(len(classes)) && f.sum == product(total(ids), total(classes))
}

func total(hashes []uint64) (t uint64) {
	for _, h := range hashes {
		t = sum(t, element61(h))
	}
	return t
}

// prime is the size of the field: a Mersenne prime.
const prime = 1<<61 - 1

// element61 returns an element of the field for a hash, as good as random.
func element61(hash uint64) uint64 { return sum(hash>>3, 0) }

// sum returns a + b, of which b is an element of the field.
func sum(a, b uint64) uint64 {
	a = a&prime + a>>61 + b
	a = a&prime + a>>61
	if a >= prime {
		a -= prime
	}
	return a
}

func product(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return sum(low&prime, sum(high<<3|low>>61, 0))
}

// classes are the hashes of the classes that rows have.
type classes struct {
	numbers rows.Keys
	hashes  []uint64
}

func (c *classes) add(hash uint64) {
	if int(c.numbers.Number(hash)) == len(c.hashes) {
		c.hashes = append(c.hashes, hash)
	}
}

// mostClasses is how many classes travel with every fingerprint.
const mostClasses = 256
