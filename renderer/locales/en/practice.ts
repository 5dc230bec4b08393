/** English texts: the practice withdrawal and the customer’s phone beside it. */
export const practice = {
  practice: {
    title: "Practise one withdrawal",
    next: "Play cashier and customer once before the first customer comes.",
    start: "Practise without money",
    finish: "Finish set-up",
  },
  phone: {
    title: "Customer’s phone",
    close: "Close the phone",
    open: "Play the customer",
    openHint: "The customer’s phone stands beside the terminal.",
    tourStart: "Start the tour",
    tourHint: "Six steps, without real money.",
    step: "{{number}} of {{total}}",
    tour: {
      step0: "This one ended without cash. Ask for a new one.",
      step1: "On the phone: choose how much cash.",
      step2: "On the phone: show the code to the terminal.",
      step3: "At the terminal: compare the amount and confirm.",
      step4: "On the phone: approve.",
      step5: "At the terminal: open the drawer, count, hand over.",
      step6: "Done: the customer has the cash, and the books agree.",
    },
    ask: "How much cash?",
    show: "Show the code",
    approve: "Approve",
    deny: "Deny",
    paying: "Approved. The bank is paying.",
    paid: "Paid. Wait for your cash.",
    again: "New withdrawal",
  },
};
