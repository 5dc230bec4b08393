/** English texts: the figures and the books. */
export const books = {
  figures: {
    title: "Figures",
    day: "Day",
    week: "Week",
    month: "Month",
    year: "Year",
    period: "Period",
    date: "Date",
    earlier: "Earlier",
    later: "Later",
    today: "Today",
    none: "No withdrawals in this time.",
    sum: "Cash handed out",
    count: "Withdrawals handed out",
    average: "Average",
    all: "All withdrawals",
    byHour: "Cash by hour",
    countByHour: "Withdrawals by hour",
    byDay: "Cash by day",
    countByDay: "Withdrawals by day",
    byMonth: "Cash by month",
    countByMonth: "Withdrawals by month",
    ends: "How they ended",
    end: "End",
    number: "Number",
    scanToCash: "From scan to cash",
    approval: "From confirm to approved",
    half: "Half within {{time}}",
    most: "nine of ten within {{time}}",
    notMeasured: "Not measured in this time.",
    hour: "Hour",
    below: "under {{time}}",
    longer: "longer",
    scope: "A withdrawal counts at the time when it was confirmed or rejected, in the time zone {{zone}}.",
  },
  books: {
    title: "Books",
    offline:
      "The service cannot be reached now: only this terminal’s half is shown. Open this page again later to compare.",
    not_offered: "This service gives no report: only this terminal’s half is shown.",
    agree_one: "{{count}} withdrawal agrees.",
    agree_other: "{{count}} withdrawals agree.",
    clean: "Nothing to look at: both sides agree.",
    cleanHere: "This terminal has nothing to look at.",
    allCleared: "Nothing to look at any more: a manager has cleared up the rest.",
    cleared: "Cleared up by a manager",
    noted: "This terminal noted: {{what}}.",
    handedOut: "Cash handed out",
    here: "This terminal",
    there: "Service",
    difference: "Difference",
    what: "What it is and what to do",
    unknownHere: "not known here",
    unknownThere: "not known there",
    leftOut_one: "{{count}} more is not shown. Choose a shorter time.",
    leftOut_other: "{{count}} more are not shown. Choose a shorter time.",
    elsewhere_one: "The shop’s other terminals: {{count}} withdrawal, {{open}} of them to look at there.",
    elsewhere_other: "The shop’s other terminals: {{count}} withdrawals, {{open}} of them to look at there.",
    findings: {
      matched: "handed out",
      not_linked: "paid, no word of the cash",
      undelivered: "paid, not handed out",
      settle_unknown: "no answer of the bank yet",
      restored: "the service was put back to a copy",
      disputed: "disputed by the bank",
      closed: "over without cash",
    },
    explain: {
      amount_differs: "The amounts differ. Give no more cash; send both codes to support.",
      other_terminal:
        "Cash was handed out here, and the service has it as another terminal’s: cash may have been given twice. Count both drawers and call support now with both codes.",
      paid_without_money:
        "Cash was handed out here, and the service has no payment for it. Call support now with both codes.",
      forgotten_there:
        "This terminal had reported it; the service was put back to a copy and forgot it. It is reported again by itself: look again in an hour. If it stays so, send both codes to support.",
      link_on_its_way:
        "The report of the hand-out is on its way; the terminal repeats it by itself. Look again in an hour.",
      link_refused:
        "The service refused the report of the hand-out. Send both codes to support, so that it is booked by hand.",
      cash_not_said:
        "It is paid, and nobody has said whether cash was given. Count the drawer, then decide it under Problems.",
      linked_not_here:
        "The service has it as handed out, this terminal does not. Count the drawer and send both codes to support.",
      undelivered: "It is paid and no cash was given: the bank pays it back to the customer. Nothing to do here.",
      undelivered_on_its_way:
        "The report that no cash was given is on its way; the terminal repeats it by itself. Look again in an hour.",
      undelivered_refused:
        "The service refused the report that no cash was given. Send both codes to support, so that the customer gets the money back.",
      undelivered_not_here:
        "The service was told that no cash was given, and here it was. Call support before the money goes back.",
      settle_unknown: "The bank has not answered yet. Give no cash; the service keeps asking. Look again later.",
      restored:
        "The service was put back to a copy, and what terminals and bank say of this one does not agree yet. Give no more cash for it. If it is still here tomorrow, call support with both codes.",
      disputed: "The bank contradicts its first answer. The operator clears it up with the bank; keep both codes.",
      unclear_here: "This terminal does not know its end yet. If it stays so, decide it under Problems.",
      noted_here: "Both sides agree about the money. This terminal had a problem with it: clear it up under Problems.",
      known_here_only: "The service’s report does not have it. Check the date, then send both codes to support.",
      known_there_only:
        "This terminal’s journal does not have it. Check the journal, and whether another terminal uses the same name.",
    },
  },
};
