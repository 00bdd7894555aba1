package cluster

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"kosumi/internal/file"
	"kosumi/train/selfplay"
)

// leases records which worker holds which game number, which games are stored, and the offers that
// they were played for. Everything needed after a crash is on disk before it is used. Not safe
// for concurrent use.
type leases struct {
	path  string
	ahead uint64 // all numbers below this one are reserved on disk
	disk  leasesFile

	stored  map[selfplay.ID]bool
	last    map[uint64]int   // index of the last fork, by number
	out     map[uint64]lease // leases of the current offer, by number
	held    map[string]int   // number of leases, by worker
	free    []uint64         // numbers to lease again, all of the present offer
	checked time.Time        // time of the last search for expired leases
	exact   bool             // no more numbers are reserved on disk than are leased
}

// leasesFile is the part of leases on disk.
type leasesFile struct {
	Run    string  `json:"run"`
	Next   uint64  `json:"next"`
	Closed uint64  `json:"closed"`
	Epochs []epoch `json:"epochs"` // the last is the present one
}

// epoch is an offer and the first number that was played for it.
type epoch struct {
	First uint64 `json:"first"`
	Offer Offer  `json:"offer"`
}

// lease records which worker holds a game number, since when, and until when.
type lease struct {
	worker         string
	since, expires time.Time
}

const (
	reserve    = 4096 // numbers reserved on disk at a time
	keptEpochs = 64

	mostHeld  = 4 * maxLease // limit on the game numbers leased to one worker
	firstHeld = maxLease     // this limit before the first game of the worker is stored
	mostOut   = 1 << 20      // limit on the numbers leased to all workers; beyond it each gets at most fewHeld
	fewHeld   = 64

	exactTime = 10 * time.Minute // longest lease when the number of games is bounded
)

func openLeases(dir string, known []selfplay.Filed, now time.Time) (*leases, error) {
	b := &leases{path: filepath.Join(dir, "book.json"), stored: make(map[selfplay.ID]bool, len(known)), last: map[uint64]int{}, out: map[uint64]lease{}, held: map[string]int{}}
	for _, id := range known {
		b.note(id)
	}
	found, err := file.ReadJSON(b.path, &b.disk)
	if err != nil {
		return nil, err
	}
	if !found {
		b.disk.Run = NewID()
		return b, b.save()
	}
	b.ahead = b.disk.Next
	// Workers from before the restart keep their numbers for leaseTime.
	if n := len(b.disk.Epochs); n > 0 {
		for number := b.disk.Epochs[n-1].First; number < b.ahead; number++ {
			if number >= b.disk.Closed && !b.complete(number) {
				b.lease(number, lease{since: now, expires: now.Add(leaseTime)})
			}
		}
	}
	return b, nil
}

func (b *leases) save() error {
	disk := b.disk
	disk.Next = max(disk.Next, b.ahead)
	data, err := json.Marshal(disk)
	if err != nil {
		return err
	}
	return file.WriteBytes(b.path, data)
}

// offer begins a new epoch if the work differs from the present offer.
func (b *leases) offer(o Offer, closed uint64) (*Offer, error) {
	o.ID = ""
	o.ID = fmt.Sprintf("%x", sha256.Sum256(pack(o)))[:16]
	raised := closed > b.disk.Closed
	b.disk.Closed = max(b.disk.Closed, closed)
	if now := b.present(); now != nil && now.ID == o.ID {
		if raised {
			return now, b.save()
		}
		return now, nil
	}
	b.disk.Epochs = append(b.disk.Epochs, epoch{b.disk.Next, o})
	if n := len(b.disk.Epochs); n > keptEpochs {
		b.disk.Epochs = slices.Delete(b.disk.Epochs, 0, n-keptEpochs)
	}
	b.out, b.held, b.free = map[uint64]lease{}, map[string]int{}, nil
	b.forget()
	return b.present(), b.save()
}

// forget drops the records of games that are too old to be leased again.
func (b *leases) forget() {
	for id := range b.stored {
		if id.Number < b.disk.Closed {
			delete(b.stored, id)
			delete(b.last, id.Number)
		}
	}
}

// present returns the current offer; nil before the first.
func (b *leases) present() *Offer {
	if n := len(b.disk.Epochs); n > 0 {
		return &b.disk.Epochs[n-1].Offer
	}
	return nil
}

// find returns the present or an earlier offer by its ID; nil if there is none.
func (b *leases) find(id string) *Offer {
	for i := range b.disk.Epochs {
		if b.disk.Epochs[i].Offer.ID == id {
			return &b.disk.Epochs[i].Offer
		}
	}
	return nil
}

// room returns how many more numbers a worker may hold. known reports whether a game of the
// worker is stored.
func (b *leases) room(worker string, known bool) int {
	most := firstHeld
	if known {
		most = mostHeld
	}
	if len(b.out) >= mostOut {
		most = fewHeld
	}
	return most - b.held[worker]
}

// lease records that a worker holds a number.
func (b *leases) lease(number uint64, h lease) {
	b.letGo(number)
	b.out[number] = h
	b.held[h.worker]++
}

func (b *leases) letGo(number uint64) {
	h, known := b.out[number]
	if !known {
		return
	}
	delete(b.out, number)
	if b.held[h.worker]--; b.held[h.worker] == 0 {
		delete(b.held, h.worker)
	}
}

// grant leases numbers, returned and expired ones first.
func (b *leases) grant(worker string, want int, now time.Time) ([]uint64, error) {
	b.expire(now)
	var numbers []uint64
	for len(numbers) < want && len(b.free) > 0 {
		number := b.free[0]
		b.free = b.free[1:]
		if _, taken := b.out[number]; !taken && !b.complete(number) {
			numbers = append(numbers, number)
		}
	}
	if missing := uint64(want - len(numbers)); b.disk.Next+missing > b.ahead {
		before := b.ahead
		b.ahead = b.disk.Next + missing
		if !b.exact {
			b.ahead += reserve
		}
		if err := b.save(); err != nil {
			b.ahead = before
			b.free = append(b.free, numbers...)
			return nil, err
		}
	}
	for len(numbers) < want {
		numbers = append(numbers, b.disk.Next)
		b.disk.Next++
	}
	for _, number := range numbers {
		b.lease(number, lease{worker, now, now.Add(leaseTime)})
	}
	return numbers, nil
}

// expire frees numbers whose leases have ended.
func (b *leases) expire(now time.Time) {
	if now.Sub(b.checked) < time.Second && now.After(b.checked) {
		return // too soon for another search, which visits all leases
	}
	b.checked = now
	for number, h := range b.out {
		if now.After(h.expires) {
			b.letGo(number)
			b.free = append(b.free, number)
		}
	}
	slices.Sort(b.free)
}

// renew extends a worker's leases, also after a restart of the server.
func (b *leases) renew(worker string, numbers []uint64, now time.Time) {
	n := len(b.disk.Epochs)
	if n == 0 {
		return
	}
	for _, number := range numbers {
		h, known := b.out[number]
		if number < b.disk.Epochs[n-1].First || !known || h.worker != "" && h.worker != worker {
			continue
		}
		if b.exact && now.Sub(h.since) > exactTime {
			continue // the number may go to another worker
		}
		if h.worker == worker || b.held[worker] < mostHeld {
			b.lease(number, lease{worker, h.since, now.Add(leaseTime)})
		}
	}
}

// release takes back numbers that a worker will not play.
func (b *leases) release(worker string, numbers []uint64) {
	for _, number := range numbers {
		if h, known := b.out[number]; known && h.worker == worker {
			b.letGo(number)
			b.free = append(b.free, number)
		}
	}
}

// settle notes that a game is stored. The lease ends when all forks of its number are stored.
func (b *leases) settle(f selfplay.Filed) {
	b.note(f)
	if b.complete(f.Number) {
		b.letGo(f.Number)
	}
}

func (b *leases) note(f selfplay.Filed) {
	b.stored[f.ID] = true
	if !f.More {
		b.last[f.Number] = f.Fork
	}
}

// complete reports whether the game of a number and all that branch off it are stored.
func (b *leases) complete(number uint64) bool {
	last, known := b.last[number]
	if !known {
		return false
	}
	for fork := range last + 1 {
		if !b.stored[selfplay.ID{Number: number, Fork: fork}] {
			return false
		}
	}
	return true
}
