import { scaTimeoutSeconds } from "../../../backend/contract/sca.ts";
import type { Guide } from "../guide.ts";

/** The guide in English. */
export const en: Guide = {
  scan: {
    title: "Scan the barcode",
    steps: [
      "The customer asks for an amount in the banking app and shows a barcode. Hold it before the camera, or use the hand scanner.",
      "It cannot be read? Have the customer turn the brightness up, or press {{ready.type}} (F2) and type the 16 characters below the barcode.",
      "The terminal shows the amount. Nothing is paid yet.",
    ],
  },
  amount: {
    title: "Check the amount",
    steps: [
      "Say the amount aloud. Is it what the customer asked for, and is the customer here? Then press {{review.confirm}}.",
      "Otherwise press {{review.reject}}. Nothing is paid, and the customer can start again.",
      "If the drawer holds too little, the terminal says so here: fetch change first.",
    ],
  },
  approval: {
    title: "The customer approves",
    steps: [
      `The customer has ${scaTimeoutSeconds} seconds to approve amount and shop in the banking app. The ring shows the time left.`,
      "Wait. Give no cash and open no drawer before the green screen.",
      "If it takes longer after the approval, press {{waiting.nextCustomer}}: the terminal goes on by itself and says when it is paid.",
    ],
  },
  hand_out: {
    title: "Hand out the cash",
    steps: [
      "Green means: the bank has paid. Press {{payable.ok}}, count the amount before the customer, and hand it over.",
      "Where it waited for a while, the terminal asks the service first: three seconds at most, then the drawer opens by itself.",
      "Then press {{opening.handedOut}}. Only this tells the service that the customer has the cash.",
      "Not enough in the drawer, or the customer has gone? Press {{payable.notHandedOut}} and say why. The customer gets the money back.",
      "Press nothing that is not so: what you say here is what the books say.",
    ],
  },
  drawer: {
    title: "The drawer does not open",
    steps: [
      "Press {{opening.again}}, or open the drawer with the key. The payment stays as it is.",
      "Give the cash once only. When you are not sure whether the customer has it, ask.",
      "Then press {{opening.handedOut}}.",
    ],
  },
  ends: {
    title: "It ended without cash",
    steps: [
      "Amber means: nothing was paid. Do what the screen says; usually the customer starts again in the banking app.",
      "Red means: give no cash. It may be paid, used before, or open at another counter. Call your manager before a new one is started.",
      "Press {{ended.nextCustomer}} to go on.",
    ],
  },
  unclear: {
    title: "Payment unclear",
    steps: [
      "The service does not answer. The terminal keeps asking by itself; you cannot lose anything.",
      "Ask the customer to wait and to start no second withdrawal. Give no cash.",
      "Press {{unknown.nextCustomer}} to serve others meanwhile. It stays in the list on top; when it is known, a message with amount and code says how it ended. Read it and press {{ended.nextCustomer}}.",
    ],
  },
  offline: {
    title: "No connection",
    steps: [
      "Nothing can be looked up. Check the network cable and the router; other customers can be served as soon as the terminal says {{header.online}}.",
      "What was under way goes on by itself. Leave the terminal switched on.",
    ],
  },
  sign_in: {
    title: "Sign in and change over",
    steps: [
      "Choose your name and enter your PIN. Every withdrawal then carries your code.",
      "Leaving the counter? Press your name on top: the next person signs in.",
      "Wrong PIN several times: wait as long as the screen says, or ask a manager.",
    ],
  },
  day: {
    title: "The drawer’s day",
    steps: [
      "Press {{day.title}} on top and count notes and coins before the first customer, then {{day.begin}}. If it is not what was left, write down why.",
      "Money that goes in or out for another reason: {{day.cashIn}} or {{day.cashOut}}, with the reason.",
      "At the end press {{day.countAndClose}} and count without looking anything up. What is expected shows to a manager alone.",
    ],
  },
  set_up: {
    title: "Install and connect",
    steps: [
      "Start the installer for this computer, then the program. It leads through language, connection, devices and a practice withdrawal.",
      "Your service provider gives you a code (it works once, for a day) or an access key. Scan the QR code, or type code and address.",
      "If it does not connect, the screen names the cause and stays: address, network, certificate, clock, or a code that was used.",
      "Each part can be done again under {{manager.settings}}, {{settings.terminal}}.",
    ],
  },
  devices: {
    title: "Camera, scanner, printer, drawer",
    steps: [
      "{{manager.scanner}} shows everything that is read, and teaches the terminal your hand scanner.",
      "Printer and drawer are under {{manager.settings}}. A drawer on the receipt printer opens through it; without one it is opened with the key.",
      "A printer that is off or empty never holds up a withdrawal: it prints again later.",
      "The customer’s own display is switched on at {{customerDisplay.title}}.",
    ],
  },
  people: {
    title: "People and PINs",
    steps: [
      "Set a manager’s PIN first: settings, problems and devices ask for it from then on.",
      "Add cashiers under {{people.tab}} and switch on {{people.cashiersSignIn}} if each withdrawal is to name one.",
      "A second person’s PIN is asked for where one alone could take cash: the third opening of the drawer, and {{payable.notHandedOut}} after it was open.",
    ],
  },
  settings: {
    title: "Settings",
    steps: [
      "Changes are kept at once. A field that is marked is not kept until it is right.",
      "{{settings.confirmHandOver}}: leave it on. Off, an open drawer counts as handed out.",
      "{{settings.scaTimeout}} must stay below what the service allows.",
      "Leave only the kinds of barcodes on that your network uses.",
      "{{updates.title}}: a new version is installed when the day is closed; {{updates.installNow}} does it at once, when nothing is open.",
    ],
  },
  end_of_day: {
    title: "End of the day",
    steps: [
      "{{day.title}}, {{day.countAndClose}}: count, take out what the terminal proposes. A manager sees the difference and says why; what a cashier’s count differed by stands under {{problems.tab}}.",
      "Withdrawals that are still open are named. They are paid out of the next day’s drawer.",
      "The report is printed and stays under {{day.reports}}, also as a file.",
    ],
  },
  history: {
    title: "History and receipts",
    steps: [
      "Every withdrawal that was confirmed, the newest first. Narrow the list by day, result, cashier or a part of the code.",
      "{{history.story}} tells one step by step: this terminal beside the service. There a receipt can be printed again; it is marked as a copy.",
      "{{figures.title}} shows sums, counts and times; {{books.title}} compares with the service and says what to do about each difference. Both need a manager.",
      "What needs clearing up is marked; decide it under {{problems.tab}}.",
    ],
  },
  problems: {
    title: "Problems to clear up",
    steps: [
      "Here is what the books cannot explain by themselves. First find out: ask the cashier, count the drawer, ask support.",
      "For an open one say what happened: {{problems.handed_out}}, {{problems.not_handed_out}}, or {{problems.leave_to_books}}. Decide only when the service cannot be asked any more.",
      "The drawer’s money that differed, or a drawer that stood open without this terminal: ask whoever is named, and check what else reaches the printer.",
      "Write a note and press {{problems.acknowledge}}. Both are kept with your code, and {{books.title}} lists it as cleared up.",
    ],
  },
  journal: {
    title: "The journal",
    steps: [
      "It is the terminal’s own book of money under way, sealed entry by entry. The check shows whether it is whole.",
      "Damaged entries are set aside, never deleted: tell support their numbers.",
      "{{supportReport.save}} makes a file without keys, PINs and customers.",
    ],
  },
  practice: {
    title: "Practise without money",
    steps: [
      "{{practice.start}} under {{manager.settings}} starts training: striped on top, with a phone beside the terminal.",
      "Cashier and customer can be played by one person. Nothing of it goes into the books.",
      "{{phone.real.start}} lets a phone in this computer’s network play the customer for an hour; a manager opens it with the PIN.",
      "{{setup.again.live}} returns to real money.",
    ],
  },
  trouble: {
    title: "What to do when …",
    steps: [
      "… the journal cannot be written (red band): give no cash. Free space on the disk; it goes on by itself.",
      "… the page lost its program: start the program again. Everything it knows is kept.",
      "… the clock is wrong: set date, time and time zone of this computer.",
      "… another terminal uses this name: each needs a key of its own; ask the provider for a code.",
      "… this computer is replaced: finish what is open, then set the new one up with a new code. Never copy the folder.",
      "… you are stuck: call support. Number, terminal and version are under {{help.about}}.",
    ],
  },
};
