package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"
)

// attacks are what somebody with the token may try. None reads, bans or drops anything
// of another's.
var attacks = []struct {
	name string
	do   func(a *arena)
}{
	{"ban by a forged upload", func(a *arena) {
		id := a.worker.conf.Conn.ID
		for _, subject := range []string{subjectOf(verbGame, id), "kosumi.game", subjectOf(verbGame, "*"), subjectOf("*", id), subjectOf(verbGame, id+"."+a.raider.ID)} {
			a.forge(subject, "", a.garbage())
		}
		_, err := a.raider.nats.Request(subjectOf(verbGame, a.raider.ID), append(pack(map[string]string{"worker": id, "offer": a.server.leases.present().ID}), "\ngarbage"...), 10*time.Second)
		require.NoError(a.t, err)
	}},
	{"read another's inbox", func(a *arena) {
		id := a.client.conn.ID
		for _, subject := range []string{inboxOf(id) + ".>", inboxOf(id) + ".*", "_INBOX.>", "_INBOX.*.>", ">", "*.*.>", "kosumi.>", filesOf(id), inboxOf(a.worker.conf.Conn.ID) + ".>"} {
			a.listen(subject, "")
			a.listen(subject, "thieves")
		}
	}},
	{"come with another's key and no seed", func(a *arena) {
		for _, k := range []Key{{a.raiderKey(), a.client.conn.ID}, {a.raiderKey(), a.worker.conf.Conn.ID}} {
			require.False(a.t, a.login(func(conn net.Conn) string { return connectLine(a.t, conn, k, a.token) }))
		}
	}},
	{"repeat another's login", func(a *arena) {
		k, stolen := newKey(a.t), ""
		require.True(a.t, a.login(func(conn net.Conn) string {
			stolen = connectLine(a.t, conn, k, a.token)
			return stolen
		}))
		require.False(a.t, a.login(func(net.Conn) string { return stolen }))
	}},
	{"come without a proof", func(a *arena) {
		for _, more := range []string{"", `,"name":"server"`, `,"nkey":"` + a.client.conn.ID + `"`, `,"nkey":"` + a.client.conn.ID + `","sig":""`, `,"nkey":"U*","sig":"AA"`, `,"nkey":">","sig":"AA"`,
			`,"user":"` + a.client.conn.ID + `"`, `,"jwt":"eyJ0"`} {
			require.False(a.t, a.login(func(net.Conn) string { return `CONNECT {"verbose":false,"auth_token":"` + a.token + `"` + more + `}` }), more)
		}
		k := newKey(a.t)
		require.False(a.t, a.login(func(conn net.Conn) string { return connectLine(a.t, conn, k, "wrong") }))
	}},
	{"have the server answer in another's name", func(a *arena) {
		for _, reply := range []string{subjectOf(verbGame, a.worker.conf.Conn.ID), subjectOf(verbDrop, a.client.conn.ID), inboxOf(a.client.conn.ID) + ".x", filesOf(a.client.conn.ID), "$SYS.x", inboxOf(a.raider.ID)} {
			for _, verb := range []string{verbHello, verbStatus, verbGame, verbPoll, verbSubmit, verbNet, verbLease} {
				a.forge(a.raider.subject(verb), reply, []byte("{\"id\":\"1\"}\n{\"kind\":\"x\"}"))
			}
		}
	}},
	{"send another's game again", func(a *arena) {
		one := a.site.worker(a.t.TempDir(), nil)
		a.runUntil([]*Worker{one}, a.settled(probation))
		one.Close(5 * time.Second)
		games, _ := a.host.kept()
		a.join(a.raider)
		for _, data := range games {
			r, err := ask[receipt](a.t.Context(), a.raider, verbGame, append(append(pack(upload{a.server.leases.present().ID}), '\n'), data...), 10*time.Second)
			require.NoError(a.t, err)
			require.Equal(a.t, duplicate, r.Verdict)
		}
		after, twice := a.host.kept()
		require.Len(a.t, after, len(games))
		require.Zero(a.t, twice)
		require.Empty(a.t, a.server.Status().Aside)
	}},
	{"answer another's task", func(a *arena) {
		a.join(a.raider)
		a.held(func(e *task) {
			for _, id := range []string{"1", e.task.ID, e.key, a.client.conn.ID + "/1", "", "*"} {
				r := asks[receipt](a, a.raider, verbDone, outcome{ID: id, Body: json.RawMessage(`"forged"`)})
				require.NotEqual(a.t, stored, r.Verdict)
			}
			require.Equal(a.t, rejected, asks[receipt](a, a.raider, verbDone, outcome{ID: e.id, Body: json.RawMessage(`"forged"`)}).Verdict)
		})
	}},
	{"write into another's inbox", func(a *arena) {
		a.held(func(e *task) {
			for _, subject := range []string{e.reply, inboxOf(a.client.conn.ID) + ".x", filesOf(a.client.conn.ID), inboxOf(a.worker.conf.Conn.ID) + ".>"} {
				a.forge(subject, "", pack(outcome{ID: "1", Body: json.RawMessage(`"forged"`)}))
			}
		})
	}},
	{"take another's tasks back", func(a *arena) {
		a.held(func(e *task) {
			a.forge(a.raider.subject(verbDrop), "", pack(drop{}))
			a.forge(a.raider.subject(verbDrop), "", pack(drop{[]string{"1", e.id, e.key}}))
			a.forge(subjectOf(verbDrop, a.client.conn.ID), "", pack(drop{}))
			a.server.mu.Lock()
			defer a.server.mu.Unlock()
			require.Same(a.t, e, a.server.tasks.tasks[e.key])
		})
	}},
	{"park more tasks than there is room for", func(a *arena) {
		text := strings.Repeat("x", 1_000_000)
		park := func(id int) []byte {
			return fmt.Appendf(nil, "{\"id\":\"%d\"}\n{\"kind\":\"nobody's\",\"body\":\"%s\"}", id, text)
		}
		for n := range *megabytes {
			require.NoError(a.t, a.raider.nats.PublishRequest(a.raider.subject(verbSubmit), inboxOf(a.raider.ID)+".x", park(n)))
		}
		a.do(a.client, "echo")
		var last outcome
		require.Eventually(a.t, func() bool { // while the queue of a sender is full, its messages are dropped
			m, err := a.raider.nats.Request(a.raider.subject(verbSubmit), park(*megabytes), 5*time.Second)
			return err == nil && json.Unmarshal(m.Data, &last) == nil
		}, 5*time.Minute, time.Millisecond)
		require.True(a.t, last.Later)
		a.server.mu.Lock()
		defer a.server.mu.Unlock()
		require.LessOrEqual(a.t, a.server.tasks.costs[a.raider.ID], clientTasks)
		d := a.server.tasks
		a.server.tasks.expire(time.Now().Add(submitGone + time.Minute)) // nobody asks for them any more
		require.Zero(a.t, d.bytes)
		require.Empty(a.t, d.tasks)
		require.Empty(a.t, d.byID)
	}},
	{"say hello 20,000 times", func(a *arena) {
		hello := pack(Card{Protocol: [2]int{ProtocolMin, Protocol}})
		for range 20_000 {
			require.NoError(a.t, a.raider.nats.PublishRequest(a.raider.subject(verbHello), inboxOf(a.raider.ID)+".x", hello))
		}
		require.NoError(a.t, a.worker.hello(a.t.Context()))
		require.Len(a.t, a.server.Status().Workers, 2, "a connection is one worker")
	}},
	{"flood with uploads", func(a *arena) {
		a.join(a.raider)
		data := append(pack(upload{"nobody's"}), make([]byte, 1<<20-100)...)
		for range 400 {
			require.NoError(a.t, a.raider.nats.Publish(a.raider.subject(verbGame), data))
		}
		n := a.host.count()
		a.runUntil([]*Worker{a.site.worker(a.t.TempDir(), nil)}, func() bool { return a.host.count() > n })
	}},
	{"send too much at once", func(a *arena) {
		require.ErrorIs(a.t, a.raider.nats.Publish(a.raider.subject(verbSubmit), make([]byte, 2<<20)), nats.ErrMaxPayload)
		k := newKey(a.t)
		conn, err := net.Dial("tcp", a.addr)
		require.NoError(a.t, err)
		defer conn.Close()
		fmt.Fprintf(conn, "%s\r\nPUB %s 1000000000\r\n", connectLine(a.t, conn, k, a.token), subjectOf(verbGame, k.id))
		_, err = io.Copy(conn, io.LimitReader(zeros{}, 1e9))
		require.Error(a.t, err, "the broker hangs up")
		for _, verb := range []string{verbHello, verbPoll, verbLease} {
			a.forge(a.raider.subject(verb), inboxOf(a.raider.ID)+".x", []byte(strings.Repeat("[", 1<<20)))
		}
	}},
	{"hoard the numbers of games", func(a *arena) {
		a.join(a.raider)
		a.pass(a.raider)
		for range 20 {
			asks[leaseReply](a, a.raider, verbLease, leaseRequest{Want: 1 << 30})
		}
		a.server.mu.Lock()
		defer a.server.mu.Unlock()
		require.Equal(a.t, firstHeld, a.server.leases.held[a.raider.ID])
	}},
	{"steal or return another's numbers", func(a *arena) {
		id := a.worker.conf.Conn.ID
		a.server.mu.Lock()
		numbers, err := a.server.leases.grant(id, 5, time.Now())
		a.server.mu.Unlock()
		require.NoError(a.t, err)
		a.join(a.raider)
		asks[leaseReply](a, a.raider, verbLease, leaseRequest{Held: numbers})
		a.forge(a.raider.subject(verbBeat), "", pack(beat{Held: numbers}))
		a.forge(a.raider.subject(verbRelease), "", pack(beat{Held: numbers}))
		asks[leaseReply](a, a.raider, verbLease, leaseRequest{Held: numbers})
		a.server.mu.Lock()
		defer a.server.mu.Unlock()
		for _, n := range numbers {
			require.Equal(a.t, id, a.server.leases.out[n].worker)
		}
	}},
	{"take all tasks and answer none", func(a *arena) {
		a.join(a.raider)
		var waiting sync.WaitGroup
		defer waiting.Wait()
		for range 100 {
			waiting.Go(func() { a.do(a.client, "slow echo") })
		}
		a.until(func() bool { return len(a.server.tasks.waiting[a.client.conn.ID]) == 100 })
		got := asks[pollReply](a, a.raider, verbPoll, poll{Free: map[string]int{"slow echo": 1 << 30}})
		require.Len(a.t, got.Tasks, firstTasks)
		for _, task := range got.Tasks {
			require.NotContains(a.t, string(pack(task)), a.client.conn.ID, "a worker does not know whose task it has")
		}
		other := a.site.worker(a.t.TempDir(), func(c *WorkerConfig) {
			echoes(c)
			c.Handlers["slow echo"] = c.Handlers["echo"]
		})
		a.start(other)
		a.server.mu.Lock()
		defer a.server.mu.Unlock()
		now := time.Now().Add(taskSlow + time.Minute)
		for _, e := range a.server.tasks.tasks { // clients ask, and the raider says that it is at work
			e.asked, e.expires = now, now.Add(time.Hour)
		}
		a.server.tasks.expire(now)
		require.Empty(a.t, a.server.tasks.held[a.raider.ID])
	}},
	{"fail at all tasks by three workers", func(a *arena) {
		for range taskTries {
			c := a.dial(newKey(a.t))
			a.join(c)
			go func() {
				for {
					got, err := ask[pollReply](a.t.Context(), c, verbPoll, pack(poll{Free: map[string]int{"hard": 8}}), 5*time.Second)
					if err != nil {
						return
					}
					for _, task := range got.Tasks {
						ask[receipt](a.t.Context(), c, verbDone, pack(outcome{ID: task.ID, Error: "no"}), 5*time.Second)
					}
				}
			}()
			a.until(func() bool { return a.server.tasks.parked[c.ID] != nil })
		}
		done := make(chan bool)
		go func() {
			defer close(done)
			a.do(a.client, "hard")
		}()
		a.until(func() bool {
			for _, e := range a.server.tasks.tasks {
				if len(e.failed) == taskTries {
					return true
				}
			}
			return false
		})
		a.start(a.site.worker(a.t.TempDir(), func(c *WorkerConfig) {
			echoes(c)
			c.Handlers["hard"] = c.Handlers["echo"]
		}))
		<-done
	}},
	{"answer with what is not an answer", func(a *arena) {
		a.join(a.raider)
		done := make(chan bool)
		go func() {
			defer close(done)
			a.do(a.client, "fragile")
		}()
		got := asks[pollReply](a, a.raider, verbPoll, poll{Free: map[string]int{"fragile": 1}})
		require.Len(a.t, got.Tasks, 1)
		require.Equal(a.t, stored, asks[receipt](a, a.raider, verbDone, outcome{ID: got.Tasks[0].ID, Body: json.RawMessage(`{"not":"a text"}`)}).Verdict)
		a.start(a.site.worker(a.t.TempDir(), func(c *WorkerConfig) {
			echoes(c)
			c.Handlers["fragile"] = c.Handlers["echo"]
		}))
		<-done
	}},
	{"put another file in the place of a client's", func(a *arena) {
		path := filepath.Join(a.t.TempDir(), "net.bin")
		require.NoError(a.t, os.WriteFile(path, bytes.Repeat([]byte("right"), 300_000), 0o600))
		f, err := a.client.Offer(path)
		require.NoError(a.t, err)
		_, err = a.raider.nats.Subscribe(filesOf(a.raider.ID), func(m *nats.Msg) { m.Respond([]byte("wrong")) })
		require.NoError(a.t, err)
		require.NoError(a.t, a.raider.nats.PublishRequest(a.raider.subject(verbSubmit), inboxOf(a.raider.ID)+".x", packSubmission(submission{ID: "1"}, &Task{Kind: "nobody's", Body: json.RawMessage("1"), Files: []File{f}})))
		a.until(func() bool { return len(a.server.tasks.tasks) == 1 })
		a.do(a.client, "echo", f)
	}},
	{"read a client's file", func(a *arena) {
		path := filepath.Join(a.t.TempDir(), "net.bin")
		require.NoError(a.t, os.WriteFile(path, []byte("secret"), 0o600))
		f, err := a.client.Offer(path)
		require.NoError(a.t, err)
		a.join(a.raider)
		a.held(func(e *task) {
			for _, task := range []string{"", "1", e.id, e.key} {
				m, err := a.raider.nats.Request(a.raider.subject(verbNet), pack(wanted{f.SHA256, 0, task}), 10*time.Second)
				require.NoError(a.t, err)
				require.Empty(a.t, m.Data)
			}
		}, f)
	}},
	{"speak with NATS itself", func(a *arena) {
		for _, subject := range []string{"$SYS.REQ.SERVER.PING", "$SYS.REQ.USER.INFO", "$JS.API.INFO", "$JS.API.STREAM.CREATE.x", "$JS.ACK.x", "$KV.x"} {
			_, err := a.raider.nats.Request(subject, nil, 20*time.Millisecond)
			require.Error(a.t, err, subject)
		}
		a.listen("$SYS.>", "")
		a.listen("$JS.>", "")
		_, err := a.raider.nats.Request("$SYS.REQ.SERVER."+a.broker.nats.ID()+".CONNZ", nil, 20*time.Millisecond)
		require.Error(a.t, err)
	}},
	{"take another's name", func(a *arena) {
		long := "test\x1b[2J\n\u202e" + strings.Repeat("é", 50_000)
		asks[welcome](a, a.raider, verbHello, Card{Name: "test", Protocol: [2]int{ProtocolMin, Protocol}})
		asks[welcome](a, a.raider, verbHello, Card{Name: long, Version: long, Processor: long, Price: -5, Protocol: [2]int{ProtocolMin, Protocol}})
		st := asks[Status](a, a.raider, verbStatus, nil)
		require.Len(a.t, st.Workers, 2)
		text := string(pack(st))
		require.NotContains(a.t, text, a.worker.conf.Conn.ID)
		require.NotContains(a.t, text, a.client.conn.ID)
		require.Less(a.t, len(text), 4096)
		require.NotContains(a.t, text, `\u001b`)
		require.NotEqual(a.t, st.Workers[0].ID, st.Workers[1].ID)
	}},
	{"leave connections half open", func(a *arena) {
		for i := range 300 {
			conn, err := net.Dial("tcp", a.addr)
			require.NoError(a.t, err)
			a.t.Cleanup(func() { conn.Close() })
			if i%2 == 1 {
				io.WriteString(conn, "CONN")
			}
		}
		a.dial(newKey(a.t)).nats.Flush()
	}},
	{"crowd the workers out", func(a *arena) {
		a.server.mu.Lock()
		a.server.conf.MaxWorkers = 8
		a.server.roster.members[a.worker.conf.Conn.ID].tasks = 1 // it has worked
		a.server.mu.Unlock()
		for range 30 {
			a.join(a.dial(newKey(a.t)))
		}
		fresh := a.site.worker(a.t.TempDir(), nil)
		require.NoError(a.t, fresh.hello(a.t.Context()))
		a.server.mu.Lock()
		defer a.server.mu.Unlock()
		require.NotNil(a.t, a.server.roster.members[a.worker.conf.Conn.ID])
		require.LessOrEqual(a.t, len(a.server.roster.members), 8)
	}},
	{"keep a client's answers out by claims", func(a *arena) {
		// The raider puts tasks by the ids that the client will use.
		for n := range 50 {
			_, err := a.raider.nats.Request(a.raider.subject(verbSubmit), packSubmission(submission{fmt.Sprint(n), n%2 == 0}, &Task{Kind: "echo", Body: json.RawMessage(`"mine"`)}), 20*time.Second)
			require.NoError(a.t, err)
		}
	}},
	{"answer the server twice", func(a *arena) {
		path := filepath.Join(a.t.TempDir(), "net.bin")
		require.NoError(a.t, os.WriteFile(path, []byte("mine"), 0o600))
		sum, err := fileSum(path)
		require.NoError(a.t, err)
		_, err = a.raider.nats.Subscribe(filesOf(a.raider.ID), func(m *nats.Msg) {
			require.NotContains(a.t, m.Reply, a.worker.conf.Conn.ID, "a client does not know who asks")
			for range 3 {
				m.Respond([]byte("mine"))
			}
			a.raider.nats.Publish(strings.TrimSuffix(m.Reply, m.Reply[len(m.Reply)-2:])+"zz", []byte("forged"))
		})
		require.NoError(a.t, err)
		r, err := ask[outcome](a.t.Context(), a.raider, verbSubmit, packSubmission(submission{ID: "1"}, &Task{Kind: "echo", Body: json.RawMessage(`"x"`), Files: []File{{"net.bin", sum, 4}}}), 20*time.Second)
		require.NoError(a.t, err)
		require.Equal(a.t, `"x"`, string(r.Body))
	}},
}

// TestAttacks has somebody with the token try what he can against a worker and a client:
// nothing of theirs is read, banned or dropped.
func TestAttacks(t *testing.T) {
	for _, attack := range attacks {
		t.Run(attack.name, func(t *testing.T) {
			a := newArena(t)
			attack.do(a)
			a.check()
		})
	}
}
