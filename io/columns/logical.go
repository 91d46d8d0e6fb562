package columns

import "fmt"

// Logical says what the values of a leaf are, however its format stores them.
type Logical struct {
	Type Type
	Bits int    // see [Field]
	Name string // for messages, the same in all formats; see [Field].Physical
}

// The logical types without parameters.
var (
	Boolean = Logical{Bool, 0, "bool"}
	Half    = Logical{Float, 16, "halffloat"}
	Single  = Logical{Float, 32, "float"}
	Double  = Logical{Float, 64, "double"}
	Text    = Logical{String, 0, "string"}
	Binary  = Logical{String, 0, "binary"}
	UUID    = Logical{String, 0, "uuid"}
	Null    = Logical{Int, 64, "null"}
)

// Signed returns the type of integers of so many bits.
func Signed(bits int) Logical { return Logical{Int, 64, fmt.Sprintf("int%d", bits)} }

// Unsigned returns the type of integers from 0 of so many bits.
func Unsigned(bits int) Logical { return Logical{Int, 64, fmt.Sprintf("uint%d", bits)} }

// Fixed returns the type of texts of so many bytes.
func Fixed(bytes int) Logical { return Logical{String, 0, fmt.Sprintf("fixed_size_binary[%d]", bytes)} }

// Leaf is a leaf column of a file, whether it can be read or not.
type Leaf struct {
	Name   Name
	Number int // among the leaves of the file
	Lists  int // the lists and maps that it lies below
	Logical
	Reason string // why it cannot be read; "" if it can
}

// NewLeaf returns a leaf, which cannot be read if there is a reason or if it lies below several lists.
func NewLeaf(name Name, number, lists int, l Logical, reason string) Leaf {
	if reason == "" && lists > 1 {
		reason = fmt.Sprintf("it lies below %d nested lists; one is the most", lists)
	}
	return Leaf{name, number, lists, l, reason}
}
