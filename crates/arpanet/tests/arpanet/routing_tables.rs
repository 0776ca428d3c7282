//! Kleinrock and Opderbeck, Tables I to III: the listed routing messages in their order, and every cell.
//!
//! One misprint is put right: in row 8 of Table I the best neighbour of IMP C is printed as C itself; it is B.

use hopscope_arpanet::{HoldDown, NO_PORT, RoutingTable, vector_of};

const D: usize = 0;
/// The estimate to D from which the tables count.
const BASE: u16 = 100;
/// Every IMP has the neighbour nearer to D on line 0 and the farther one on line 1.
const TOWARDS_D: u8 = 0;
const AWAY: u8 = 1;

struct Row {
    hold_down: HoldDown,
    imps: [RoutingTable; 3],
}

impl Row {
    fn initially(hold_down: HoldDown) -> Self {
        let imp = |estimate| RoutingTable::new(&[estimate], &[TOWARDS_D], 2, hold_down);
        Self { hold_down, imps: [imp(BASE - 4), imp(BASE), imp(BASE + 4)] }
    }

    /// X sends A a delay that gives A this estimate, with this local delay.
    fn x_to_a(&mut self, estimate: u16, local: u16) -> String {
        self.imps[0].sample(TOWARDS_D, local);
        self.message(0, TOWARDS_D, estimate - 4 - local)
    }

    fn a_to_b(&mut self) -> String {
        self.message(1, TOWARDS_D, self.imps[0].estimate(D))
    }

    fn c_to_b(&mut self) -> String {
        self.message(1, AWAY, self.imps[2].estimate(D))
    }

    /// B sends to C, which has this local delay.
    fn b_to_c(&mut self, local: u16) -> String {
        self.imps[2].sample(TOWARDS_D, local);
        self.message(2, TOWARDS_D, self.imps[1].estimate(D))
    }

    fn message(&mut self, to: usize, port: u8, estimate: u16) -> String {
        self.imps.iter_mut().for_each(RoutingTable::tell);
        self.imps[to].merge(port, &vector_of(&[estimate]), |_, _| {});
        self.cell(to)
    }

    /// "d + 9/0/A!" as the tables print it; held down where their rows say so.
    fn cell(&self, imp: usize) -> String {
        let table = &self.imps[imp];
        let best = table.best(D);
        assert_ne!(best, NO_PORT);
        let neighbour = [["X", "B"], ["A", "C"], ["B", "-"]][imp][usize::from(best)];
        let mark = if table.held(D) { "!" } else { "" };
        assert!(self.hold_down != HoldDown::None || mark.is_empty());
        let relative = i32::from(table.estimate(D)) - i32::from(BASE);
        format!("{relative:+}/{}/{neighbour}{mark}", table.local_delay(best))
    }
}

#[test]
fn table_1_a_loop_without_hold_down() {
    let mut row = Row::initially(HoldDown::None);
    assert_eq!([0, 1, 2].map(|imp| row.cell(imp)), ["-4/0/X", "+0/0/A", "+4/0/B"]);
    let cells = [
        row.x_to_a(BASE + 5, 4),
        row.a_to_b(),
        row.c_to_b(),
        row.b_to_c(1),
        row.x_to_a(BASE + 5, 4),
        row.a_to_b(),
        row.c_to_b(),
        row.b_to_c(0),
        row.x_to_a(BASE + 5, 4),
        row.a_to_b(),
    ];
    let published = [
        "+5/4/X", "+9/0/A", "+8/0/C", "+13/1/B", "+5/4/X", "+8/0/C", "+17/0/C", "+21/0/B", "+5/4/X", "+9/0/A",
    ];
    assert_eq!(cells, published);
}

#[test]
fn table_2_hold_down_prevents_the_loop() {
    let mut row = Row::initially(HoldDown::ByMessage);
    let cells = [
        row.x_to_a(BASE + 5, 4),
        row.a_to_b(),
        row.c_to_b(),
        row.b_to_c(1),
        row.x_to_a(BASE + 5, 4),
        row.a_to_b(),
        row.c_to_b(),
        row.b_to_c(0),
        row.x_to_a(BASE + 5, 4),
        row.a_to_b(),
    ];
    let published = [
        "+5/4/X!", "+9/0/A!", "+9/0/A!", "+14/1/B!", "+5/4/X!", "+9/0/A!", "+9/0/A!", "+13/0/B!", "+5/4/X!",
        "+9/0/A!",
    ];
    assert_eq!(cells, published);
}

/// The order of Table III, in which A sends two routing messages to B before C sends one.
fn two_messages_first(hold_down: HoldDown) -> Vec<String> {
    let mut row = Row::initially(hold_down);
    vec![
        row.x_to_a(BASE + 1, 2),
        row.a_to_b(),
        row.x_to_a(BASE + 5, 4),
        row.a_to_b(),
        row.c_to_b(),
        row.b_to_c(1),
        row.x_to_a(BASE + 5, 4),
        row.a_to_b(),
        row.x_to_a(BASE + 5, 4),
        row.a_to_b(),
        row.c_to_b(),
    ]
}

#[test]
fn table_3_a_loop_trap() {
    let published = [
        "+1/2/X", "+5/0/A", "+5/4/X", "+9/0/A", "+8/0/C", "+13/1/B!", "+5/4/X", "+8/0/C", "+5/4/X", "+8/0/C",
        "+17/0/C!",
    ];
    assert_eq!(two_messages_first(HoldDown::ByMessage), published);
}

#[test]
fn with_the_corrected_criterion_there_is_no_trap() {
    let cells = two_messages_first(HoldDown::ByTime);
    assert_eq!(cells[3..5], ["+9/0/A!", "+9/0/A!"]);
    assert!(cells.iter().all(|cell| !cell.contains('C')), "{cells:?}");
}

#[test]
fn with_loop_free_routing_no_line_is_switched_and_none_held_down() {
    // C's way leads over B, so C is never nearer than B has been, whatever it sends.
    let cells = two_messages_first(HoldDown::LoopFree);
    let expected = [
        "+1/2/X", "+5/0/A", "+5/4/X", "+9/0/A", "+9/0/A", "+14/1/B", "+5/4/X", "+9/0/A", "+5/4/X", "+9/0/A",
        "+9/0/A",
    ];
    assert_eq!(cells, expected);
}
