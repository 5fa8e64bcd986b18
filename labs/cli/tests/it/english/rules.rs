//! The table of phrases, what is not done yet, and what is allowed.

/// A phrase that is not plain English.
pub(super) struct Rule {
    /// Words with one blank between them. `a|b` is one of several, and `!a`, at the beginning or the end, is what must not come
    /// before or after the phrase. `#` is a number, `.` a mark of punctuation, and a back quote code or a value.
    pub(super) pattern: &'static str,
    /// What to write instead.
    pub(super) write: &'static str,
    /// A text in which the rule finds something.
    pub(super) hit: &'static str,
    /// A text like it in which it does not.
    pub(super) miss: &'static str,
}

const fn rule(pattern: &'static str, write: &'static str, hit: &'static str, miss: &'static str) -> Rule {
    Rule { pattern, write, hit, miss }
}

/// Files and folders that are not looked at yet.
pub(super) const NOT_DONE: &[&str] = &[];

/// A file, a phrase as the test shows it, and why it may stay.
pub(super) const ALLOWED: &[(&str, &str, &str)] = &[];

/// Short, so that the table can be read: a phrase, what to write, an example, and a counterexample.
#[rustfmt::skip]
pub(super) const RULES: &[Rule] = &[
    rule("sectors|wavefronts|passes|kib|mib|bytes|flops|operations|instructions|registers|threads|outputs|elements|rows|columns a|an second|request|warp|thread|output|element|multiprocessor|sm|block|lane|microsecond|cycle|launch|instruction|row !may|can|need|needs|has|must", "per", "4 sectors a request", "the sectors of a request"),
    rule("one|two|four|eight|sixteen thread|threads|lane|block|load|loads|tile|tiles|output|outputs|read|barrier|barriers|kernel|file|way a|an element|output|cell|row|thread|block|warp|tile|phase|lab|card", "per", "one thread an element", "one thread reads an element"),
    rule("one|two|four|all|object|objects a|an line|thread|warp|block|file|exercise|crate|command|folder|phase", "per", "one JSON object a line, one a thread", "all of a block, one of a thread"),
    rule("speed-up|kernel|check|message|row a line", "per", "speed-up a line", "the speed-up of a line"),
    rule("behind the|its|an|that last|end|array|array's|buffer|tile", "past the end of", "4 bytes behind the last byte", "behind the caches"),
    rule("without a|any barrier between", "with no barrier between them", "without a barrier between", "with no barrier between them"),
    rule("!there|here|has|have|had|with is|are|was|were|be no multiple|multiples|number|digit|register|array|pointer|race|error|directive|name|kernel|constant|string|suffix|power|member|part|mistake|type|loop|reason|power|use|other", "is not a …", "64 is no multiple of 48", "there is no error"),
    rule("mind that|the", "note that, watch", "mind that a thread waits", "in mind; they do not mind"),
    rule("nobody|nobody's|somebody|someone|whoever|nobody", "name who does it", "nobody looks at it", "no thread looks at it"),
    rule("in step !with|one", "in lockstep", "need not run in step", "in step one"),
    rule("starter|starters|file|original|words back", "restore", "puts the starter back", "writes the file to a folder"),
    rule("go|goes|went|gone|going on !a|the|both|one|two|as|it|top", "continue", "the run goes on", "go on both devices"),
    rule("threads|lanes|ways|paths part", "diverge", "here the threads part", "the threads take part"),
    rule("of today", "current", "devices of today", "of a day"),
    rule("under way", "in flight", "two loads under way", "under the way"),
    rule("is|are told !to|by|from|how|.", "is reported", "is told of once", "it is told to stop"),
    rule("outside of", "outside", "outside of the array", "outside the array"),
    rule("each|measured for itself|themselves", "by itself", "each for itself", "for itself"),
    rule("anew", "again", "planned anew", "planned a new way"),
    rule("and|or|, else !if", "otherwise", "in order, and else word by word", "else if; `else`"),
    rule("some # !of|are|have", "about", "some 4 million", "some of 4 million"),
    rule("some two|three|four|five|six|seven|eight|ten|twenty|hundred|thousand !of", "about", "some ten steps", "some of ten steps"),
    rule("every|each|all element|elements|output|outputs|cell|cells|result|results right", "correct", "every element right", "every element correct"),
    rule("right result|results|answer|answers", "correct", "the right answer", "the correct answer"),
    rule("right and|but slow", "correct but slow", "a kernel that is right and slow", "correct but slow"),
    rule("as a|the sanitizer|profiler|debugger|compiler does|do|would", "like a", "diagnoses as a sanitizer does", "like a sanitizer"),
    rule("the chunk|block|row|column|element|launch|phase|line|column|step before .", "the previous", "the chunk before.", "the row before it"),
    rule("until lately", "recently", "until lately", "until late"),
    rule("surely", "certainly", "that surely exists", "that certainly exists"),
    rule("of one's own", "your own", "a profile of one's own", "of its own"),
    rule("shall", "should, must", "where it shall end", "where it should end"),
    rule("take|takes|taken|took it|them away", "remove", "take it away", "take it out"),
    rule("is|are|was meant !to|for|as|by", "is intended", "if this is meant, write `x`", "this is meant to be"),
    rule("wants a|an", "needs", "it wants an array", "you want an array"),
    rule("row|rows after row|rows", "row-major; row by row", "row after row", "after a row"),
    rule("come|comes|came|coming to a|the|this|that|each|every|its barrier|barriers|loop|loop's|kernel's|end", "reach", "threads come to the barrier", "comes from the barrier"),
    rule("next|another|each|every|this|one|a turn|round of the loop|iteration", "iteration", "the next turn of the loop", "turn the tile around"),
    rule("holds nothing at first", "is not initialised", "it holds nothing at first", "it holds nothing"),
    rule("thread|threads to spare", "spare threads", "threads to spare", "spare threads"),
    rule("a file a|an", "per", "a file a lab", "a file or a folder"),
    rule("may not be written|read|changed by|meanwhile", "must not", "it may not be written meanwhile", "it must not be written"),
    rule("have|has|had to stand", "must be", "has to stand in front", "stand in front"),
    rule("also where|when|if", "even where; including where", "also where no lane reads", "also the place where"),
    rule("whatever it|that|this|they is|are", "whatever … is: name it", "whatever it is", "whatever the order"),
    rule("is|are there twice|once", "appears", "a case is there twice", "it is twice"),
    rule("those|one|ones|others|radii of before", "earlier", "the radii of before", "before the radii"),
    rule("a|its|their first value|values", "initial value", "needs a first value", "the first value of three"),
];
