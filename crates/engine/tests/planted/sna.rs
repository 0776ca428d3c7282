//! Subarea networks.

use crate::{Case, Cause};

/// Two or more nodes in a row with these mean service times in ms and this line between each two.
fn chain(services_ms: &[u32], line: &str, route: &str, session: &str) -> String {
    let nodes = services_ms.iter().enumerate();
    let nodes: String = nodes
        .map(|(at, ms)| format!("[[node]]\nname = \"n{at}\"\nservice = {{ exponential = \"{ms} ms\" }}\n"))
        .collect();
    let hops = 0..services_ms.len() - 1;
    let groups: String = hops
        .clone()
        .map(|at| {
            let next = at + 1;
            format!(
                "[[group]]\nname = \"g{at}\"\nbetween = [\"n{at}\", \"n{next}\"]\nline = [{{ {line} }}]\n"
            )
        })
        .collect();
    let names: Vec<String> = hops.map(|at| format!("\"g{at}\"")).collect();
    format!(
        "model = \"sna\"\n{nodes}{groups}[[route]]\nname = \"er\"\nfrom = \"n0\"\ngroups = [{}]\n[[virtual_route]]\nnumber = 3\n\
         route = \"er\"\n{route}\n[[session]]\nvirtual_route = 3\n{session}\n[measure]\nmessages = 5_000\n",
        names.join(", ")
    )
}

const FAST: &str = "rate = \"10 Mbit/s\"";

fn with_unit(route: &str, session: &str, unit: &str) -> String {
    let text = chain(&[1, 1], FAST, route, &format!("unit = \"printer\"\n{session}"));
    format!("{text}[[unit]]\nname = \"printer\"\nnode = \"n1\"\n{unit}\n")
}

pub(crate) fn cases() -> Vec<Case> {
    let resource = |words: &str| Cause::Resource(words.into());
    let mut cases = Vec::new();
    for window in [1, 2] {
        let line = "rate = \"1 Mbit/s\", propagation = \"200 ms\"";
        let text = chain(&[2, 2, 2], line, &format!("window = {window}"), "");
        let name = format!("a window of {window} over a long way");
        cases.push(Case::new(name, text, resource("the window of virtual route 3")));
    }
    for (slow, rule) in [(0, "pacing"), (1, "sliding"), (2, "x25")] {
        let services: Vec<u32> = (0..3).map(|node| if node == slow { 20 } else { 5 }).collect();
        let text = chain(&services, FAST, &format!("rule = \"{rule}\"\nwindow = 40"), "");
        let words = format!("the node processor of n{slow}");
        cases.push(Case::new(format!("a window of 40 over a slow node {slow}"), text, resource(&words)));
    }
    for rate in ["4.8", "19.2"] {
        let batch = chain(&[1, 1], &format!("rate = \"{rate} kbit/s\""), "priority = 2\nwindow = 20", "");
        let rest = "[[virtual_route]]\nnumber = 4\nroute = \"er\"\npriority = 0\n[[session]]\nvirtual_route = 4\ngap = \"4 s\"\n";
        let name = format!("batch at high priority on a line of {rate} kbit/s");
        cases.push(Case::new(name, batch + rest, resource("the line n0 -> n1")));
    }
    for pacing in [2, 7] {
        let unit = "service = { fixed = \"300 ms\" }";
        let text = with_unit("window = 20", &format!("pacing = {pacing}"), unit);
        cases.push(Case::new(
            format!("a slow printer with a pacing window of {pacing}"),
            text,
            resource("the unit printer"),
        ));
    }
    for lasts in [5, 12] {
        let unit = format!(
            "service = {{ fixed = \"5 ms\" }}\nstop = {{ first = \"20 s\", lasts = \"{lasts} s\", every = \"60 s\" }}"
        );
        let text = with_unit("window = 255", "gap = \"200 ms\"", &unit);
        cases.push(Case::new(
            format!("a printer that stops for {lasts} s"),
            text,
            resource("the unit printer"),
        ));
    }
    for reject in ["go-back", "selective"] {
        let line = "rate = \"1 Mbit/s\", propagation = \"20 ms\", errors = 0.2";
        let route = format!("rule = \"hdlc\"\nreject = \"{reject}\"\ntimeout = \"1 s\"");
        let text = chain(&[1, 1], line, &route, "gap = \"1 s\"");
        let text = text.replace("line = [", "recovery = \"end\"\nline = [");
        cases.push(Case::new(format!("a line that loses frames, {reject}"), text, Cause::Loss));
    }
    for gap in [100, 300] {
        let text = chain(&[5, 10, 7], FAST, "", &format!("gap = \"{gap} ms\""));
        cases.push(Case::new(format!("a message in {gap} ms"), text, Cause::Nothing));
    }
    cases
}
