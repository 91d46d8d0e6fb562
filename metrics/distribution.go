package metrics

// Losses of soft labels. A label all of whose distribution is on one class costs
// the same, to the last bit, as that class.

// crossEntropy is -Σ over classes of t·log p of row r, t being the true
// distribution; where t is 0, p is of no account, even if it is 0. Probabilities
// are clipped to [eps, 1-eps], those of logits not.
func crossEntropy(b *Batch, r int, eps float64) float64 {
	truth, total := b.Distribution[r*b.Labels:][:b.Labels], 0.0
	if b.Logit != nil {
		logits := b.Logit[r*b.Labels:][:b.Labels]
		whole := logSumExp(logits)
		for k, t := range truth {
			total += times(t, whole.loss(logits[k]))
		}
		return total
	}
	for k, p := range b.Probability[r*b.Labels:][:b.Labels] {
		if truth[k] != 0 {
			total += times(truth[k], clippedLoss(p, true, eps))
		}
	}
	return total
}

// squaredDistance is Σ over classes of (p-t)² of row r.
func squaredDistance(b *Batch, r int) float64 {
	truth, total := b.Distribution[r*b.Labels:][:b.Labels], 0.0
	for k, p := range b.Probability[r*b.Labels:][:b.Labels] {
		miss := p - truth[k]
		total += float64(miss * miss)
	}
	return total
}
