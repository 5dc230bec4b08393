/** English texts: the program itself: it starts, has lost its page, or cannot open its journal. */
export const program = {
  starting: { title: "The terminal is starting", next: "It checks what was open before." },
  disconnected: {
    title: "Connection to the terminal program lost",
    next: "This page reconnects by itself. If it does not, start the terminal program again, and in a browser open the new address that it prints.",
  },
  broken: {
    title: "This page has failed",
    next: "Nothing is lost: the terminal program keeps every withdrawal. Reload the page.",
    reload: "Reload",
  },
  blocked: {
    journalTitle: "The journal cannot be opened",
    journalNext:
      "Do not give cash. Close other programs that use this terminal’s folder, and check whether the disk is full. The terminal tries again by itself.",
    newerTitle: "This journal is from a newer program",
    newerNext: "Do not give cash. Start the newer version of the program again. Nothing was changed.",
    otherTitle: "Whose journal is this?",
    otherNext:
      "The journal on this computer names another shop or terminal. For the manager: keep it aside and begin a new one, or go on with it. Nothing is sent until this is decided.",
    setAside: "Begin a new journal",
    adopt: "It belongs to this shop",
    open: "Open withdrawals",
  },
};
