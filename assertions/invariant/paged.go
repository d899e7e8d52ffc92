package invariant

import (
	"iter"
	"maps"
	"slices"
)

// pageSize is how many neighbours share a page. A history that is spread thin
// costs a page an entry, so pages are small.
const pageSize = 128

// reach is how far beyond its end the dense part may grow at once, in pages.
const reach = 4096

type page[T any] [pageSize]T

// paged is an array over numbers from 0 on that are mostly dense, of which only
// the pages that are used take memory. Numbers far beyond the rest, as an odd
// history may have them, are found through a map.
type paged[T any] struct {
	dense []*page[T]
	far   map[int64]*page[T]
}

// at returns the entry, which it makes if there is none.
func (p *paged[T]) at(i int64) *T {
	n := i / pageSize
	if n < int64(len(p.dense)) {
		if found := p.dense[n]; found != nil {
			return &found[i%pageSize]
		}
	}
	return &p.make(n)[i%pageSize]
}

func (p *paged[T]) make(n int64) *page[T] {
	if found := p.far[n]; found != nil {
		return found
	}
	fresh := new(page[T])
	if n >= int64(len(p.dense))+reach {
		if p.far == nil {
			p.far = map[int64]*page[T]{}
		}
		p.far[n] = fresh
		return fresh
	}
	for int64(len(p.dense)) <= n {
		p.dense = append(p.dense, nil)
	}
	p.dense[n] = fresh
	return fresh
}

// get returns the entry, or nil if its page was never made.
func (p *paged[T]) get(i int64) *T {
	if i < 0 {
		return nil
	}
	n := i / pageSize
	if n < int64(len(p.dense)) {
		if found := p.dense[n]; found != nil {
			return &found[i%pageSize]
		}
	}
	if found := p.far[n]; found != nil {
		return &found[i%pageSize]
	}
	return nil
}

// all ranges over the entries of all pages by rising numbers.
func (p *paged[T]) all() iter.Seq2[int64, *T] {
	return p.from(0)
}

// from ranges over the entries of pages from that of number start on.
func (p *paged[T]) from(start int64) iter.Seq2[int64, *T] {
	return func(yield func(int64, *T) bool) {
		far := slices.Sorted(maps.Keys(p.far))
		for n := start / pageSize; n < int64(len(p.dense)); n++ {
			for len(far) > 0 && far[0] < n {
				if far[0] >= start/pageSize && !p.far[far[0]].each(far[0], yield) {
					return
				}
				far = far[1:]
			}
			if p.dense[n] != nil && !p.dense[n].each(n, yield) {
				return
			}
		}
		for _, n := range far {
			if n >= start/pageSize && !p.far[n].each(n, yield) {
				return
			}
		}
	}
}

func (p *page[T]) each(n int64, yield func(int64, *T) bool) bool {
	for i := range p {
		if !yield(n*pageSize+int64(i), &p[i]) {
			return false
		}
	}
	return true
}
