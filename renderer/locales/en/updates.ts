/** English texts: updates of the program. */
const refused =
  "The update server’s answer is not genuine and was refused. If it stays so, save a report for support under “Journal”.";

/** By key, as English has them. */
export const updates = {
  updates: {
    title: "Updates",
    on: "Look for new versions",
    onHint: "They are fetched in the background. Off, nothing is asked and nothing is installed.",
    channel: "Versions",
    channels: { latest: "For everybody", beta: "Also those still being tried" },
    time: "Install by themselves",
    anyTime: "When the day is closed",
    between: "Only between two times",
    from: "From",
    to: "To",
    noDays:
      "This terminal counts no days, so nobody says when the shop is closed: choose two times, or a manager installs.",
    admin: "This computer asks for an administrator’s password, so a manager installs each version.",
    newest: "This is the newest version.",
    never: "Nobody has looked for a new version yet.",
    off: "Updates are switched off.",
    checking: "Looking for a new version",
    downloading: "Version {{version}} is being fetched: {{percent}} %",
    installing: "Version {{version}} is being installed. The terminal starts again by itself.",
    ready: "Version {{version}} is ready.",
    failedBefore: "Its installation failed before.",
    waits: {
      withdrawal: "It is installed when no withdrawal is open.",
      report: "It is installed when the service has taken every report.",
      printing: "It is installed when every receipt is printed.",
      day: "It is installed when the day is closed.",
      window: "It is installed between {{from}} and {{to}}.",
      quiet: "It is installed when nobody uses the terminal for five minutes.",
      manager: "A manager installs it.",
    },
    troubles: {
      unreachable: "The update server does not answer. It is asked again later.",
      unsigned: refused,
      wrong_signature: refused,
      malformed: refused,
      other_feed: refused,
      replayed: refused,
      expired:
        "The update server has said nothing new for three months. Check date and time; if they are right, tell support.",
      download: "The new version did not arrive whole. It is fetched again later.",
      no_disk_space: "There is no room for the new version on this computer’s disk. Ask support to make room.",
    },
    checkNow: "Look now",
    installNow: "Install now",
    away: "The terminal is away for about a minute.",
    busy: "Not now: a withdrawal, a report or a receipt is open. Try again when it is done.",
    failed: "That did not work. Look for the version again.",
  },
};
