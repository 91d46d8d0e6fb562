// Package rows gathers rows of columns, groups them by key and encodes them for
// a shuffle.
//
// Rows whose groups lie in several places travel together, many in one element,
// as a [Table]. A [Hasher] says where a row has to go, a [Grouper] finds the
// groups of what has arrived. What the columns mean is for others to know.
//
// # Encoding
//
// A byte through a shuffle costs more than the work of saving it, so everything
// is a sequence of integers in blocks of 128: each block has its least value and,
// in just as many bits as the largest needs, how much more the others are; or
// that of the runs of equal values and their lengths, where it is shorter. Ints
// are such integers as they are; so are nulls, the lengths of lists, the codes of
// strings and the lengths of the strings themselves, whose text is compressed where
// that makes it shorter. Floats are sent as integers if all in a column are whole,
// otherwise as the bits of float32 if all are exact as such, otherwise as those of
// float64; with the sign moved to the lowest bit, as the exponents of scores have much
// in common.
package rows
