package conform

import (
	"time"

	"github.com/stretchr/testify/require"
)

var lifeItems = []item[*GTP]{
	{12, "quit", checkQuit},
	{13, "end of input, vanished reader", checkEndOfInput},
}

// settle is longer than any pause between two lines of one script.
const settle = 400 * time.Millisecond

// states bring an engine into each state in which a client may disconnect. Searches have no
// limits. pending reports that a reply is outstanding.
var states = []struct {
	name    string
	enter   func(s *GTP)
	pending bool
}{
	{"idle", func(s *GTP) { s.OK("name") }, false},
	{"idle and ready", func(s *GTP) { s.quick(); s.OK("reg_genmove b") }, false},
	{"searching", func(s *GTP) {
		s.quick()
		s.OK("reg_genmove b") // waits until the network is loaded
		s.endless()
		s.Send("genmove b\n")
		time.Sleep(settle)
	}, true},
	{"analysing", func(s *GTP) {
		s.endless()
		s.OpenStream("kata-analyze 5")
		s.Info()
	}, true},
}

func checkQuit(s *GTP) {
	for _, st := range states {
		s := s.again(s.T)
		st.enter(s)
		s.Send("77 quit\n")
		switch {
		case st.pending && st.name == "analysing":
			s.Rest()
		case st.pending:
			require.Regexp(s.T, `^(pass|resign|[A-HJ-Z]\d+)$`, s.Next().Text)
		}
		require.Equal(s.T, []string{"=77 "}, s.Next().Raw, st.name)
		s.Ends(true)
	}
	s.OK("quit")
	s.Ends(true)
}

func checkEndOfInput(s *GTP) {
	for _, st := range states {
		s := s.again(s.T)
		st.enter(s)
		require.NoError(s.T, s.In.Close())
		if st.name == "analysing" {
			s.Rest()
		}
		s.Ends(true)
		// If the client no longer reads, the engine may fail, but must end.
		s = s.again(s.T)
		st.enter(s)
		require.NoError(s.T, s.Out.Close())
		s.In.Write([]byte("name\n")) // this write fails if the engine has ended already
		s.In.Write([]byte("version\n"))
		if st.name == "searching" {
			s.In.Write([]byte("# interrupt\n")) // ends the search, so that the engine writes its reply
		}
		s.Ends(false)
	}
	s.OK("name")
}
