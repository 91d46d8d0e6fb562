// Package queries measures how well rankings of items answer queries: the
// measures of information retrieval, of one query at a time.
//
// Items of equal scores have no order of their own. Unless [Options] say
// otherwise, a measure is then its expectation over all orders of tied items
// (McSherry & Najork, ECIR 2008), in closed form, and a function of the scores,
// relevances and judgements alone: the order of the items does not change a
// bit of it.
//
// Places count from 1. An item is relevant if its relevance is the threshold or
// more. Items that were judged but not retrieved take part in the number of
// relevant items, in ideal rankings, and, those that are not relevant, in bpref.
package queries
