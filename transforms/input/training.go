package input

// TrainingFiles are files of the data that a model was trained on, with a row for each example.
type TrainingFiles struct {
	Shards []Shard
	// ID is the column of the ids, which have the type of the examples' ids.
	ID string
}
