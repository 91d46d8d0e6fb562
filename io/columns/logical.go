package columns

import "fmt"

// Logical is the type of the values of a leaf, independently of how a format stores them.
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
	Empty   = Logical{Int, 64, "empty"} // of texts: no value that is not null
)

// Signed returns the type of signed integers of the given width.
func Signed(bits int) Logical { return Logical{Int, 64, fmt.Sprintf("int%d", bits)} }

// Unsigned returns the type of unsigned integers of the given width.
func Unsigned(bits int) Logical { return Logical{Int, 64, fmt.Sprintf("uint%d", bits)} }

// Fixed returns the type of byte strings of the given length.
func Fixed(bytes int) Logical { return Logical{String, 0, fmt.Sprintf("fixed_size_binary[%d]", bytes)} }
