package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/beameval/beameval/io/columns"
)

// arrow-go joins a dictionary and its deltas when it looks for the dictionaries of a record batch,
// before anybody can check their buffers (see sound). The messages of such a dictionary are
// therefore first read as record batches of a column of its values:
//
//	schema: x, of the type of the values │ dictionary │ delta │ delta │ … │ end

// fieldDictionary is the index of the encoding in the table Field.
const fieldDictionary = 4

// checkDeltas checks the buffers of dictionaries that have deltas. The source has a footer.
func (f *File) checkDeltas(src columns.Source) error {
	if f.file.NumDictionaries() == 0 {
		return nil
	}
	footer, err := columns.ReadFooter(src, headSize, magic, func(string) error { return errNoFooter })
	if err != nil {
		return err
	}
	root := rootOf(footer)
	blocks, err := eachBlock(src, root, footerDictionaries, kindDictionary)
	if err != nil {
		return err
	}
	of, deltas := map[int64][]block{}, map[int64]bool{}
	for i := range blocks {
		message, err := readBlock(src, &blocks[i])
		if err != nil {
			return err
		}
		header, _ := message.child(messageHeader)
		id := header.GetInt64Slot(slot(dictionaryID), 0)
		of[id] = append(of[id], blocks[i])
		deltas[id] = deltas[id] || header.GetBoolSlot(slot(dictionaryDelta), false)
	}
	maps.DeleteFunc(deltas, func(_ int64, is bool) bool { return !is })
	if len(deltas) == 0 {
		return nil
	}
	schema, _ := root.child(footerSchema)
	types := map[int64]arrow.DataType{}
	if err := valueTypes(types, schema, schemaFields, f.file.Schema().Fields()); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(deltas)) {
		if types[id] == nil || hasDictionary(types[id]) { // arrow-go refuses to join these
			continue
		}
		if err := f.checkDictionary(src, types[id], of[id]); err != nil {
			return fmt.Errorf("dictionary %d: %w", id, err)
		}
	}
	return nil
}

// valueTypes adds the types of the values of dictionaries in a list of fields, by the ids of the
// dictionaries.
func valueTypes(types map[int64]arrow.DataType, parent table, list int, fields []arrow.Field) error {
	start, n, err := parent.vector(list, 4)
	if err != nil {
		return err
	}
	for i := range min(n, len(fields)) {
		field := parent.element(start, i)
		typ := storage(fields[i].Type)
		if encoding, coded := field.child(fieldDictionary); coded {
			if t, is := typ.(*arrow.DictionaryType); is {
				typ = storage(t.ValueType)
				types[encoding.GetInt64Slot(slot(0), 0)] = typ
			}
		}
		if nested, is := typ.(arrow.NestedType); is {
			if err := valueTypes(types, field, fieldChildren, nested.Fields()); err != nil {
				return err
			}
		}
	}
	return nil
}

func hasDictionary(typ arrow.DataType) bool {
	typ = storage(typ)
	if _, is := typ.(*arrow.DictionaryType); is {
		return true
	}
	nested, is := typ.(arrow.NestedType)
	return is && slices.ContainsFunc(nested.Fields(), func(f arrow.Field) bool { return hasDictionary(f.Type) })
}

// checkDictionary checks the buffers of the messages of a dictionary.
func (f *File) checkDictionary(src columns.Source, values arrow.DataType, messages []block) error {
	var schema bytes.Buffer
	fields := []arrow.Field{{Name: "x", Type: values, Nullable: true}}
	w := ipc.NewWriter(&schema, ipc.WithSchema(arrow.NewSchemaWithEndian(fields, nil, f.file.Schema().Endianness())))
	if err := w.Close(); err != nil {
		return err
	}
	end := schema.Len() - prefix // the end of the stream
	p := &pieces{Source: src}
	p.addBytes(schema.Bytes()[:end])
	for i := range messages {
		b := &messages[i]
		message, err := readBlock(src, b)
		if err != nil {
			return err
		}
		metadata, err := asRecordBatch(message)
		if err != nil {
			return err
		}
		p.addBytes(metadata)
		p.add(piece{from: b.offset + int64(b.meta), size: b.body})
	}
	p.addBytes(binary.LittleEndian.AppendUint32([]byte(marker), 0))
	read, err := Open(p, f.Options, nil)
	for i := 0; err == nil && i < len(messages); i++ {
		var batch arrow.RecordBatch
		if batch, err = read.load(i); err == nil {
			err = sound(batch.Column(0).Data())
			batch.Release()
		}
	}
	var of *columns.Error
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}

// asRecordBatch returns the message of a dictionary as the message of a record batch, prefix
// included.
func asRecordBatch(message table) ([]byte, error) {
	b := flatbuffers.NewBuilder(1024)
	header, _ := message.child(messageHeader)
	data, _ := header.child(dictionaryData)
	content, err := addBatch(b, data, 0)
	if err != nil {
		return nil, err
	}
	return finish(b, message, kindRecordBatch, content), nil
}
