package workers

// MessageBytes is the size of the messages in which Beam sends the output of a bundle. A message is sent as
// soon as another element would make it larger.
const MessageBytes = 4_000_000

// BundleBytes is the largest size of what a bundle may emit before it ends, in messages that are full. Beam's job
// servers for Flink and Spark accept 100 messages.
const BundleBytes = 90 * MessageBytes

// Messages measures output in the order in which it is emitted. Empty space in a message counts,
// too.
type Messages struct{ sent, waiting int }

// Add adds an element of the given size and returns the size of all messages.
func (m *Messages) Add(bytes int) int {
	if m.waiting > 0 && m.waiting+bytes > MessageBytes {
		m.sent, m.waiting = m.sent+max(m.waiting, MessageBytes), 0
	}
	m.waiting += bytes
	return m.Bytes()
}

// Bytes returns the size of all messages.
func (m *Messages) Bytes() int { return m.sent + m.waiting }
