package scoreruns

import "fmt"

// The block that block.go draws, a line for the header and one for each column.
func Example_block() {
	var b Builder
	b.Add(Image(0.75), 0, 1, 1)
	b.Add(Image(0.5), 1, 0, 1)
	b.Add(Image(0.25), 0, 2, 2)
	run := b.AppendRun(nil)
	from := 0
	for _, length := range []int{2, 2, 4, 4, 3, 6, 5} {
		fmt.Printf("% x\n", run[from:from+length])
		from += length
	}
	fmt.Println(len(run)-from, "bytes left")
	// Output:
	// 03 00
	// 16 00
	// 00 00 01 02
	// 00 00 02 21
	// 00 00 00
	// 00 34 ff 07 01 04
	// 33 fa 2f 02 0b
	// 0 bytes left
}
