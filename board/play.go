package board

// Play puts a stone of c on the empty point p, removes the opponent's chains that lose their last
// liberty, then the stone's chain if it has none (suicide, also of a single stone), and sets or
// clears the simple ko point. It returns the number of opponent's stones removed. It does not
// check that the move is legal. A Pass only clears the ko point; it can be undone like a stone.
func (b *Board) Play(c Color, p Point) (captured int) {
	b.marks = append(b.marks, mark{b.state, len(b.log)})
	b.state.ko = NoPoint
	if p < 0 {
		return 0
	}
	b.save(p)
	b.state.stones[c]++
	b.state.hash = b.state.hash.xor(zobrist.stone[c][p])
	b.join(c, p)

	opp := c ^ 3
	last := NoPoint
	near := &b.geo.near[p]
	for i, q := range near {
		if b.cells[q].color != opp {
			continue
		}
		head := b.cells[q].head
		if b.headSeen(near[:i], opp, head) {
			continue
		}
		b.save(head)
		b.cells[head].libs--
		if b.cells[head].libs == 0 {
			captured += int(b.cells[head].size)
			last = q
			b.remove(q)
		}
	}
	own := &b.cells[b.cells[p].head]
	switch {
	case own.libs == 0:
		b.remove(p)
	case captured == 1 && own.size == 1 && own.libs == 1:
		b.state.ko = last
	}
	return captured
}

// headSeen reports whether one of the points belongs to the chain of c whose head
// is head.
func (b *Board) headSeen(points []Point, c Color, head Point) bool {
	for _, q := range points {
		if a := &b.cells[q]; a.head == head && a.color == c {
			return true
		}
	}
	return false
}

func (b *Board) save(p Point) {
	b.log = append(b.log, change{p, b.cells[p]})
}

// join puts a stone of c on the empty point p and unites the chains of c around
// it. Liberties of the opponent's chains are left to the caller.
func (b *Board) join(c Color, p Point) {
	near := &b.geo.near[p]
	big, free := NoPoint, int16(0)
	for _, q := range near {
		switch a := &b.cells[q]; a.color {
		case Empty:
			free++
		case c:
			if big < 0 || b.cells[a.head].size > b.cells[big].size {
				big = a.head
			}
		}
	}
	if big < 0 {
		b.cells[p] = cell{color: c, head: p, next: p, libs: free, size: 1}
		return
	}
	b.save(big)
	head := &b.cells[big]
	head.libs--
	head.size++
	if free > 0 {
		for _, q := range near {
			if b.cells[q].color == Empty && !b.touches(q, c, big) {
				head.libs++
			}
		}
	}
	b.cells[p] = cell{color: c, head: big, next: head.next}
	head.next = p
	for _, q := range near {
		if a := &b.cells[q]; a.color == c && a.head != big {
			b.merge(big, q)
		}
	}
}

// merge adds the chain on p to the chain of the same colour whose head is big. The stone that
// connects them is already part of the chain of big.
func (b *Board) merge(big, p Point) {
	head := &b.cells[big]
	c := head.color
	head.size += b.cells[b.cells[p].head].size
	q := p
	for {
		b.save(q)
		for _, l := range &b.geo.near[q] {
			if b.cells[l].color == Empty && !b.touches(l, c, big) {
				head.libs++
			}
		}
		b.cells[q].head = big
		if b.cells[q].next == p {
			break
		}
		q = b.cells[q].next
	}
	// Two circles become one when two of their links are exchanged.
	b.cells[q].next, head.next = head.next, p
}

// touches reports whether p is next to a stone of the chain of c whose head is head.
func (b *Board) touches(p Point, c Color, head Point) bool {
	near := &b.geo.near[p]
	for _, q := range near {
		if a := &b.cells[q]; a.head == head && a.color == c {
			return true
		}
	}
	return false
}

// remove takes the chain on p off the board and adds the liberties that this
// opens to the opponent's chains around it.
func (b *Board) remove(p Point) {
	c := b.cells[p].color
	opp := c ^ 3
	n := b.cells[b.cells[p].head].size
	b.state.stones[c] -= n
	b.state.captured[c] += int32(n)
	table := &zobrist.stone[c]
	for q, done := p, false; !done; {
		b.save(q)
		b.state.hash = b.state.hash.xor(table[q])
		b.vacated.add(q)
		next := b.cells[q].next
		done = next == p
		b.cells[q].color = Empty
		near := &b.geo.near[q]
		for i, l := range near {
			if b.cells[l].color != opp {
				continue
			}
			head := b.cells[l].head
			if !b.headSeen(near[:i], opp, head) {
				b.save(head)
				b.cells[head].libs++
			}
		}
		q = next
	}
}

// Undo takes the last Play back. All Plays since the board was made or reset can be undone, but
// only the last eight of those that CopyFrom took over. If none is left it does nothing.
func (b *Board) Undo() {
	if len(b.marks) == 0 {
		return
	}
	m := &b.marks[len(b.marks)-1]
	for i := len(b.log) - 1; i >= m.log; i-- {
		b.cells[b.log[i].at] = b.log[i].old
	}
	b.log = b.log[:m.log]
	b.state = m.state
	b.marks = b.marks[:len(b.marks)-1]
}

// CanUndo returns how many Plays can be undone.
func (b *Board) CanUndo() int { return len(b.marks) }
