/** German texts: updates of the program. */
const refused =
  "Die Antwort des Servers für Aktualisierungen ist nicht echt und wurde abgelehnt. Bleibt es so, speichern Sie unter „Journal“ einen Bericht für den Support.";

/** By key, as English has them. */
export const updates = {
  updates: {
    title: "Aktualisierungen",
    on: "Nach neuen Versionen suchen",
    onHint: "Sie werden im Hintergrund geholt. Ausgeschaltet wird nichts gefragt und nichts installiert.",
    channel: "Versionen",
    channels: { latest: "Für alle", beta: "Auch solche, die noch erprobt werden" },
    time: "Von selbst installieren",
    anyTime: "Wenn der Tag abgeschlossen ist",
    between: "Nur zwischen zwei Uhrzeiten",
    from: "Von",
    to: "Bis",
    noDays:
      "Dieses Terminal zählt keine Tage, deshalb sagt niemand, wann die Filiale geschlossen ist: Wählen Sie zwei Uhrzeiten, oder die Filialleitung installiert.",
    admin:
      "Dieser Computer fragt nach dem Kennwort eines Administrators, deshalb installiert die Filialleitung jede Version.",
    newest: "Das ist die neueste Version.",
    never: "Nach einer neuen Version wurde noch nicht gesucht.",
    off: "Aktualisierungen sind ausgeschaltet.",
    checking: "Es wird nach einer neuen Version gesucht",
    downloading: "Version {{version}} wird geholt: {{percent}} %",
    installing: "Version {{version}} wird installiert. Das Terminal startet von selbst wieder.",
    ready: "Version {{version}} ist bereit.",
    failedBefore: "Ihre Installation ist schon einmal gescheitert.",
    waits: {
      withdrawal: "Sie wird installiert, wenn keine Auszahlung offen ist.",
      report: "Sie wird installiert, wenn der Dienst alle Meldungen hat.",
      printing: "Sie wird installiert, wenn alle Belege gedruckt sind.",
      day: "Sie wird installiert, wenn der Tag abgeschlossen ist.",
      window: "Sie wird zwischen {{from}} und {{to}} installiert.",
      quiet: "Sie wird installiert, wenn fünf Minuten lang niemand das Terminal benutzt.",
      manager: "Die Filialleitung installiert sie.",
    },
    troubles: {
      unreachable: "Der Server für Aktualisierungen antwortet nicht. Er wird später wieder gefragt.",
      unsigned: refused,
      wrong_signature: refused,
      malformed: refused,
      other_feed: refused,
      replayed: refused,
      expired:
        "Der Server für Aktualisierungen sagt seit drei Monaten nichts Neues. Prüfen Sie Datum und Uhrzeit; stimmen sie, sagen Sie es dem Support.",
      download: "Die neue Version kam nicht vollständig an. Sie wird später wieder geholt.",
      no_disk_space:
        "Auf der Festplatte dieses Computers ist kein Platz für die neue Version. Bitten Sie den Support, Platz zu schaffen.",
    },
    checkNow: "Jetzt suchen",
    installNow: "Jetzt installieren",
    away: "Das Terminal ist etwa eine Minute weg.",
    busy: "Jetzt nicht: Eine Auszahlung, eine Meldung oder ein Beleg ist offen. Versuchen Sie es danach noch einmal.",
    failed: "Das ging nicht. Suchen Sie die Version noch einmal.",
  },
};
