//! The logic of `watch`: a state machine without files, clock or terminal.
//!
//! It guarantees two things, which the tests check for every short sequence of events: two gradings never run at
//! once, and after the last save, the current version of the current file is graded. Any number of saves during a
//! grading causes exactly one more grading. A grading is not interrupted, because the simulator limits how long a
//! kernel runs.
//!
//! If the user saves one other exercise's file, that exercise becomes the current one. Saves of several others at
//! once (a branch was switched, all files were formatted) change nothing.

/// Index of a watched exercise.
pub(super) type Index = usize;

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// A key was pressed.
    Key(Key),
    /// These files were saved, restored or removed, and are stable now.
    Saved(Vec<Index>),
    /// The running grading finished.
    Graded,
    /// The terminal's size changed.
    Resized,
    /// Standard input ended.
    Ended,
}

/// Meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// Grade again.
    Again,
    /// Show one more hint.
    Hint,
    /// Move to this exercise.
    Next(Index),
    /// Show the list of exercises.
    List,
    /// Toggle between the full and the short report.
    Full,
    /// Ask whether to restore the starter.
    Reset,
    /// Agree to the question.
    Yes,
    /// End the watch.
    Quit,
    /// Open the file in the user's editor.
    Edit,
    /// Return to the report.
    Back,
    /// A key without a meaning.
    Other,
}

/// An action to perform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Start grading the exercise; [`Event::Graded`] follows.
    Grade(Index),
    /// Count one more hint of the exercise as seen.
    Reveal(Index),
    /// Restore the starter of the exercise.
    Restore(Index),
    /// Open the file of the exercise in the user's editor.
    Edit(Index),
    /// Say which keys there are.
    ListKeys,
    /// Draw the page.
    Draw,
    /// End the watch.
    Quit,
}

/// Page to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Page {
    /// The report on the current exercise.
    Report,
    /// The hints seen so far.
    Hints,
    /// All exercises.
    List,
    /// The question whether to restore the starter.
    Question,
}

/// The state of the watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// The current exercise.
    pub(super) hand: Index,
    /// The exercise being graded, if any.
    pub(super) grading: Option<Index>,
    /// The page shown.
    pub(super) page: Page,
    /// Whether reports are shown in full.
    pub(super) is_full: bool,
    /// Whether to grade the current exercise after the running grading.
    again: bool,
    /// Whether to end once no grading is left.
    ending: bool,
}

impl State {
    /// With an current exercise, which is graded at once.
    pub(super) fn begin(hand: Index) -> (State, Vec<Effect>) {
        let mut state =
            State { hand, grading: None, page: Page::Report, is_full: false, again: false, ending: false };
        let effects = state.grade();
        (state, effects)
    }

    /// Handles an event; returns the actions to perform.
    pub(super) fn handle(&mut self, event: &Event) -> Vec<Effect> {
        match event {
            Event::Key(key) => self.key(*key),
            Event::Saved(files) => self.saved(files),
            Event::Graded => self.graded(),
            Event::Resized => vec![Effect::Draw],
            Event::Ended => {
                self.ending = true;
                if self.grading.is_none() { vec![Effect::Quit] } else { Vec::new() }
            }
        }
    }

    fn key(&mut self, key: Key) -> Vec<Effect> {
        let asked = self.page == Page::Question;
        match key {
            Key::Quit => vec![Effect::Quit],
            // Any key other than `Yes` answers the question with no.
            Key::Yes if asked => {
                let effects = vec![Effect::Restore(self.hand)];
                self.show(Page::Report, effects)
            }
            _ if asked => self.show(Page::Report, Vec::new()),
            Key::Again => self.grade(),
            Key::Next(next) => {
                self.hand = next;
                self.grade()
            }
            Key::Hint => {
                let effects = vec![Effect::Reveal(self.hand)];
                self.show(Page::Hints, effects)
            }
            Key::List => self.show(Page::List, Vec::new()),
            Key::Full => {
                self.is_full = self.page != Page::Report || !self.is_full;
                self.show(Page::Report, Vec::new())
            }
            Key::Reset => self.show(Page::Question, Vec::new()),
            Key::Edit => vec![Effect::Edit(self.hand), Effect::Draw],
            Key::Back => self.show(Page::Report, Vec::new()),
            Key::Yes | Key::Other => vec![Effect::ListKeys, Effect::Draw],
        }
    }

    fn saved(&mut self, files: &[Index]) -> Vec<Effect> {
        match files {
            [other] => self.hand = *other,
            files if files.contains(&self.hand) => {}
            _ => return Vec::new(),
        }
        self.grade()
    }

    fn graded(&mut self) -> Vec<Effect> {
        self.grading = None;
        if self.again {
            return self.grade();
        }
        if self.ending { vec![Effect::Draw, Effect::Quit] } else { vec![Effect::Draw] }
    }

    /// Grades the current exercise, now or after the running grading.
    fn grade(&mut self) -> Vec<Effect> {
        self.page = Page::Report;
        self.again = self.grading.is_some();
        if self.again {
            return vec![Effect::Draw];
        }
        self.grading = Some(self.hand);
        vec![Effect::Grade(self.hand), Effect::Draw]
    }

    fn show(&mut self, page: Page, mut effects: Vec<Effect>) -> Vec<Effect> {
        self.page = page;
        effects.push(Effect::Draw);
        effects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model of the environment: how often each file was saved, and which version was graded last.
    #[derive(Clone)]
    struct World {
        state: State,
        saves: [u32; 3],
        graded: [Option<u32>; 3],
        /// The version that the running grading reads, assuming that it reads as early as possible.
        reading: Option<(Index, u32)>,
        has_quit: bool,
    }

    impl World {
        fn new() -> World {
            let (state, effects) = State::begin(0);
            let mut world = World { state, saves: [0; 3], graded: [None; 3], reading: None, has_quit: false };
            world.apply(&effects);
            world
        }

        fn apply(&mut self, effects: &[Effect]) {
            for effect in effects {
                match effect {
                    Effect::Grade(index) => {
                        assert_eq!(self.reading, None, "two gradings at once");
                        self.reading = Some((*index, self.saves[*index]));
                    }
                    Effect::Quit => self.has_quit = true,
                    _ => {}
                }
            }
            assert_eq!(
                self.state.grading,
                self.reading.map(|(index, _)| index),
                "the state knows what is graded"
            );
        }

        fn step(&mut self, event: &Event) {
            match event {
                Event::Graded => {
                    let Some((index, version)) = self.reading.take() else { return };
                    self.graded[index] = Some(version);
                }
                Event::Saved(files) => files.iter().for_each(|file| self.saves[*file] += 1),
                _ => {}
            }
            let effects = self.state.handle(event);
            self.apply(&effects);
        }

        /// Finishes gradings until none is running; returns their number.
        fn settle(&mut self) -> usize {
            let mut gradings = 0;
            while self.reading.is_some() {
                self.step(&Event::Graded);
                gradings += 1;
            }
            gradings
        }
    }

    fn events() -> Vec<Event> {
        let mut events = vec![Event::Graded, Event::Resized];
        events.extend([vec![0], vec![1], vec![0, 1], vec![1, 2]].map(Event::Saved));
        let keys = [Key::Again, Key::Next(2), Key::Hint, Key::Reset, Key::Yes, Key::Full];
        events.extend(keys.map(Event::Key));
        events
    }

    /// Checks the guarantees after every event of every sequence of up to five events.
    #[test]
    fn one_grading_at_a_time_and_the_last_save_is_graded() {
        let events = events();
        let mut worlds = vec![World::new()];
        let mut tried = 0;
        for _ in 0..5 {
            let mut later = Vec::with_capacity(worlds.len() * events.len());
            for world in &worlds {
                for event in &events {
                    let mut next = world.clone();
                    next.step(event);
                    let mut end = next.clone();
                    assert!(end.settle() <= 2, "one under way and one more");
                    let hand = end.state.hand;
                    assert_eq!(end.graded[hand], Some(end.saves[hand]), "{event:?} leads to {:?}", end.state);
                    assert!(!end.has_quit);
                    tried += 1;
                    later.push(next);
                }
            }
            worlds = later;
        }
        assert_eq!(tried, (1..=5).map(|length| events.len().pow(length)).sum::<usize>());
    }

    #[test]
    fn a_save_elsewhere_comes_in_hand_if_it_is_one() {
        let mut world = World::new();
        world.settle();
        world.step(&Event::Saved(vec![1, 2]));
        assert_eq!((world.state.hand, world.state.grading), (0, None), "several others are no wish");
        world.step(&Event::Saved(vec![0, 2]));
        assert_eq!((world.state.hand, world.state.grading), (0, Some(0)));
        world.step(&Event::Saved(vec![2]));
        assert_eq!((world.state.hand, world.state.grading), (2, Some(0)));
        assert_eq!(world.settle(), 2);
        assert_eq!(world.graded, [Some(1), None, Some(3)]);
    }

    #[test]
    fn only_yes_restores_the_starter_and_a_save_takes_the_question_back() {
        let key = |world: &mut World, key| world.state.handle(&Event::Key(key));
        let mut world = World::new();
        world.settle();
        for other in [Key::Again, Key::Hint, Key::Next(1), Key::Other, Key::Reset, Key::Full, Key::Edit] {
            key(&mut world, Key::Reset);
            assert_eq!(world.state.page, Page::Question);
            assert_eq!(key(&mut world, other), [Effect::Draw], "{other:?}");
            assert_eq!((world.state.page, world.state.hand), (Page::Report, 0));
        }
        assert_eq!(key(&mut world, Key::Yes), [Effect::ListKeys, Effect::Draw], "there was no question");
        key(&mut world, Key::Reset);
        world.step(&Event::Saved(vec![1]));
        assert_eq!(
            key(&mut world, Key::Yes),
            [Effect::ListKeys, Effect::Draw],
            "the question was about another file"
        );
        key(&mut world, Key::Reset);
        assert_eq!(key(&mut world, Key::Yes), [Effect::Restore(1), Effect::Draw]);
        key(&mut world, Key::Reset);
        assert_eq!(key(&mut world, Key::Quit), [Effect::Quit], "on any page");
    }

    #[test]
    fn pages_come_and_go() {
        let mut world = World::new();
        world.settle();
        let mut page = |event: Event| {
            world.step(&event);
            world.settle();
            (world.state.page, world.state.is_full)
        };
        assert_eq!(page(Event::Key(Key::Hint)), (Page::Hints, false));
        assert_eq!(page(Event::Key(Key::Hint)), (Page::Hints, false));
        assert_eq!(page(Event::Key(Key::List)), (Page::List, false));
        assert_eq!(page(Event::Resized), (Page::List, false));
        assert_eq!(page(Event::Key(Key::Other)), (Page::List, false), "a slip of the finger changes nothing");
        assert_eq!(page(Event::Key(Key::Back)), (Page::Report, false));
        assert_eq!(page(Event::Key(Key::Full)), (Page::Report, true));
        assert_eq!(page(Event::Saved(vec![0])), (Page::Report, true), "the full report stays full");
        assert_eq!(page(Event::Key(Key::Reset)), (Page::Question, true));
        assert_eq!(page(Event::Key(Key::Other)), (Page::Report, true), "after the question, too");
        assert_eq!(page(Event::Key(Key::List)), (Page::List, true));
        assert_eq!(page(Event::Key(Key::Full)), (Page::Report, true), "it was not shown");
        assert_eq!(page(Event::Key(Key::Full)), (Page::Report, false));
    }

    #[test]
    fn the_end_of_input_waits_for_what_is_to_be_graded() {
        let mut world = World::new();
        world.step(&Event::Saved(vec![0]));
        world.step(&Event::Ended);
        assert!(!world.has_quit);
        assert_eq!(world.settle(), 2);
        assert!(world.has_quit);
        assert_eq!(world.graded[0], Some(1));
        let mut idle = World::new();
        idle.settle();
        idle.step(&Event::Ended);
        assert!(idle.has_quit);
    }
}
