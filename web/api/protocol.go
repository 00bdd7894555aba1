package api

// Message is a kind of message: its name, the type of its field d, and for a
// command the type of the answer's, nil where the answer has none.
type Message struct {
	T       string
	D       any
	Answer  any
	Explain string
}

// Commands are what clients send. Package web answers exactly these.
var Commands = []Message{
	{"hello", Hello{}, Welcome{}, "The first message, within five seconds; the answer has t welcome."},
	{"ping", Ping{}, Pong{}, "Compares clocks; a client that is silent for 45 seconds is disconnected."},
	{"ack", Ack{}, nil, "Names the frame that was painted last; the next one comes then."},
	{"visible", Visible{}, nil, "Reports whether anybody sees the page. While nobody does, no frames come, and after 5 seconds no search runs."},
	{"watch", Watch{}, nil, "Answers with the state of something, and sends its events from now on."},
	{"unwatch", Watch{}, nil, "Sends no more events of it."},
	{"network.use", Network{}, []Network{}, "Changes the network by its name; searches that are under way end with the old one."},
	{"levels.on", OnBoard{}, []Level{}, "Lists the levels on a board."},
	{"player.rank", PlayerRank{}, nil, "The rank that the player claims."},
	{"player.names", SaidNames{}, nil, "Names under which the player has played, and those of others."},
	{"network.fetch", FetchNetwork{}, nil, "Fetches a network from an https address, or resumes one; watch networks reports its progress."},
	{"network.stop", NetworkName{}, nil, "Stops fetching; what has come is kept."},
	{"network.forget", NetworkName{}, nil, "Forgets a network that was not fetched to its end."},
	{"network.remove", NetworkName{}, nil, "Deletes a network that is not in use."},
	{"game.new", NewGame{}, ID{}, "Begins a game."},
	{"game.play", Play{}, nil, "Makes a move; it is on disk when the answer comes."},
	{"game.undo", GameCommand{}, nil, "Takes back to one's own last move, with its time on both clocks."},
	{"game.redo", GameCommand{}, nil, "Plays again what was taken back."},
	{"game.resign", GameCommand{}, nil, "Gives up."},
	{"game.pause", GameCommand{}, nil, "Stops the clock."},
	{"game.resume", GameCommand{}, nil, "Resumes after a pause or a failure."},
	{"game.delete", GameCommand{}, nil, "Removes a game with its files."},
	{"game.score", Score{}, nil, "One step of counting."},
	{"game.hint", AskHint{}, Hint{}, "Help with the next move; the record says so."},
	{"game.teach", Teach{}, nil, "Points out moves that lose much from now on, or no longer."},
	{"game.keep", GameCommand{}, nil, "Stands by the move that the game's advice is about: the engine answers it."},
	{"game.estimate", GameCommand{}, Estimate{}, "Asks how the game stands."},
	{"doc.new", NewDoc{}, ID{}, "Makes a game tree: empty, of a game, of SGF."},
	{"doc.delete", ID{}, nil, "Removes a game tree with its file."},
	{"tree.op", TreeOp{}, NodeRef{}, "Changes a game tree; it is on disk when the answer comes. The answer holds a node for play and setup only."},
	{"analysis.set", Analyse{}, nil, "Sets the position that this connection analyses from now on."},
	{"life.ask", AskLife{}, LifeAsked{}, "Asks whether stones live; the question before ends."},
	{"life.stop", LifeAsked{}, nil, "Ends the search for an answer; what was proved stays."},
	{"life.play", PlayLife{}, LifeStep{}, "Plays against the proof of the last answer."},
	{"review.add", AddReview{}, ID{}, "Reviews a game of this server's; files come by POST /api/import?to=review."},
	{"review.again", ID{}, ID{}, "Reviews a game once more, with the present network."},
	{"review.delete", ID{}, nil, "Removes a review with its files."},
	{"review.front", ID{}, nil, "Reviews a waiting game now."},
	{"review.pause", PauseReviews{}, nil, "Stops all reviews, or resumes them."},
	{"review.try", TryMove{}, Verdict{}, "Judges another move in place of a mistake."},
	{"games.find", AskGames{}, KeptGames{}, "A page of all games that were played here."},
	{"lesson.done", ID{}, nil, "A lesson is done."},
	{"drill.problem", AskProblem{}, Problem{}, "One problem of the day."},
	{"drill.next", NextDrill{}, Drill{}, "The problem that is due."},
	{"drill.answer", DrillAnswer{}, DrillVerdict{}, "Answers a problem."},
	{"drill.grade", GradeDrill{}, nil, "Overrules the grade of the last answer."},
}

// Events are what servers send on their own, to those who watch. Those of Frame
// are numbered: only the newest is sent, once the last one was acknowledged.
var Events = []Message{
	{"engine.state", Engine{}, nil, "After watch engine."},
	{"games.state", Games{}, nil, "After watch games."},
	{"networks.state", NetworkList{}, nil, "After watch networks."},
	{"profile.state", Profile{}, nil, "After watch profile."},
	{"game.state", GameState{}, nil, "After watch game:ID."},
	{"docs.state", Docs{}, nil, "After watch docs."},
	{"doc.change", DocChange{}, nil, "After watch doc:ID: these nodes have changed."},
	{"analysis.frame", Frame{}, nil, "After analysis.set, ten a second at most."},
	{"life.state", LifeState{}, nil, "After life.ask, or watch life: the findings so far; to the connection that asked."},
	{"reviews.state", Reviews{}, nil, "After watch reviews."},
	{"reviews.progress", ReviewProgress{}, nil, "After watch reviews: one of them has advanced; without points."},
	{"review.progress", ReviewProgress{}, nil, "After watch review:ID."},
	{"review.result", Review{}, nil, "After watch review:ID: the findings so far, or in the end; without boards."},
	{"training.state", Training{}, nil, "After watch training."},
}
