/** The office page: sign-in, the tables, and the dialog with a withdrawal's history. */
import { Alert, Button, Modal, PasswordInput, Tabs, TextInput } from "@mantine/core";
import { useHash, useSessionStorage } from "@mantine/hooks";
import { type FormEvent, useMemo, useState } from "react";
import { ApiProblem, signIn } from "./api.ts";
import { DayTable } from "./day.tsx";
import { SessionContext } from "./session.ts";
import { StoryView } from "./story.tsx";
import { TerminalsTable } from "./terminals.tsx";
import { type Filters, noFilters, OpenTable, WithdrawalsTable } from "./withdrawals.tsx";

interface Held {
  readonly chain: string;
  readonly token: string;
}

const SignIn = ({ why, onDone }: { readonly why: string | null; readonly onDone: (held: Held) => void }) => {
  const [problem, setProblem] = useState(why);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [chain, key] = ["chain", "key"].map((name) => String(form.get(name) ?? "").trim());
    if (!chain || !key) return setProblem("Type the chain's name and its key.");
    setBusy(true);
    setProblem(null);
    try {
      onDone({ chain, token: await signIn(chain, key) });
    } catch (error) {
      setProblem(error instanceof ApiProblem ? error.message : String(error));
      setBusy(false);
    }
  };
  return (
    <main className="sign-in">
      <form onSubmit={submit} aria-labelledby="sign-in">
        <h1 id="sign-in">Tillcash head office</h1>
        <p>What your shops hand out, and how their terminals are. Nothing is changed here.</p>
        <TextInput name="chain" label="Chain" autoComplete="username" autoFocus maxLength={64} />
        <PasswordInput
          name="key"
          label="Access key"
          autoComplete="current-password"
          maxLength={256}
          visibilityToggleButtonProps={{ "aria-label": "Show the key" }}
        />
        <div>{problem !== null && <Alert color="red">{problem}</Alert>}</div>
        <Button type="submit" variant="filled" loading={isBusy}>
          Sign in
        </Button>
      </form>
    </main>
  );
};

const tabs = { open: "Open now", day: "Day by shop", withdrawals: "Withdrawals", terminals: "Terminals" } as const;

const Tables = ({ chain, onSignOut }: { readonly chain: string; readonly onSignOut: () => void }) => {
  const [hash, setHash] = useHash({ getInitialValueInEffect: false });
  const tab = Object.hasOwn(tabs, hash.slice(1)) ? hash.slice(1) : "open";
  const [filters, setFilters] = useState<Filters>(noFilters);
  const [storyOf, setStoryOf] = useState<string | null>(null);
  const storyTitle = `Withdrawal ${storyOf?.replaceAll(/(.{4})(?=.)/g, "$1 ")}`;
  const [opens, setOpens] = useState(0);
  const showStore = (found: Filters) => {
    setFilters(found);
    setOpens((before) => before + 1);
    setHash("withdrawals");
  };
  return (
    <>
      <header className="head">
        <h1>
          Tillcash <span className="chain">{chain}</span>
        </h1>
        <form
          className="find"
          onSubmit={(event) => {
            event.preventDefault();
            const id = String(new FormData(event.currentTarget).get("id") ?? "");
            const plain = id.replaceAll(/[\s-]/g, "").toUpperCase();
            if (plain !== "") setStoryOf(plain);
          }}
        >
          <TextInput name="id" aria-label="Find a withdrawal by its number" placeholder="Withdrawal number" />
          <Button type="submit">Find</Button>
        </form>
        <Button onClick={onSignOut}>Sign out</Button>
      </header>
      <main>
        <Tabs value={tab} onChange={(to) => to !== null && setHash(to)} keepMounted={false}>
          <Tabs.List aria-label="Tables">
            {Object.entries(tabs).map(([name, title]) => (
              <Tabs.Tab key={name} value={name}>
                {title}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="open">
            <OpenTable onStory={setStoryOf} />
          </Tabs.Panel>
          <Tabs.Panel value="day">
            <DayTable onStore={showStore} />
          </Tabs.Panel>
          <Tabs.Panel value="withdrawals">
            <WithdrawalsTable key={opens} first={filters} onStory={setStoryOf} />
          </Tabs.Panel>
          <Tabs.Panel value="terminals">
            <TerminalsTable />
          </Tabs.Panel>
        </Tabs>
      </main>
      {/* Locking the scroll needs a style element, which the content policy refuses. */}
      <Modal.Root opened={storyOf !== null} onClose={() => setStoryOf(null)} size="lg" lockScroll={false}>
        <Modal.Overlay transitionProps={{ duration: 0 }} />
        <Modal.Content transitionProps={{ duration: 0 }} aria-label={storyTitle}>
          <Modal.Body>
            <div className="tools">
              <Modal.Title>{storyTitle}</Modal.Title>
              <div className="fresh">
                <Button onClick={() => setStoryOf(null)}>Close</Button>
              </div>
            </div>
            {storyOf !== null && <StoryView id={storyOf} />}
          </Modal.Body>
        </Modal.Content>
      </Modal.Root>
    </>
  );
};

/** The whole page: the sign-in, or the tables. */
export const App = () => {
  // For this tab only; the key itself is not stored.
  const [held, keep, forget] = useSessionStorage<Held>({ key: "tillcash-office", getInitialValueInEffect: false });
  const [why, setWhy] = useState<string | null>(null);
  const session = useMemo(() => {
    const end = (reason: string | null) => {
      forget();
      setWhy(reason);
    };
    return { token: held?.token ?? "", end };
  }, [held, forget]);
  if (held === undefined) return <SignIn why={why} onDone={keep} />;
  return (
    <SessionContext value={session}>
      <Tables chain={held.chain} onSignOut={() => session.end(null)} />
    </SessionContext>
  );
};
