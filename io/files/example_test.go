package files_test

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/beameval/beameval/io/files"
)

func Example() {
	ctx := context.Background()
	temp, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(temp)
	out := files.Join(temp, "report") // or gs://bucket/report

	err = files.Publish(ctx, out, func(create func(string) (io.Writer, error)) error {
		for _, country := range []string{"de", "fr"} {
			w, err := create("country=" + country + "/metrics.parquet")
			if err != nil {
				return err
			}
			fmt.Fprint(w, "values")
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	infos, err := files.List(ctx, files.Endings{".parquet"}, files.Join(out, "country=*"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, info := range infos {
		fmt.Println(info.Keys[0].Name, info.Keys[0].Value, info.Size)
	}
	// Output:
	// country de 6
	// country fr 6
}
