/** Calls under the access token of the credential that is kept, and how another credential takes its place. */
import { assertNever } from "../../../backend/contract/assert-never.ts";
import type { Clock, Credential, Secrets, ServiceRequest, Transport } from "../ports.ts";
import { callTimeoutMs } from "../state/bounds.ts";
import type { Answer } from "../state/inputs.ts";
import { createAccess } from "./access.ts";
import { isUnsafeService } from "./classify-answer.ts";

type Call = Omit<ServiceRequest, "authorized" | "baseUrl" | "token">;

type WhyRefused = "denied" | "unreachable" | "unsafe_service" | "wait";

const whyRefused = (answer: Answer): WhyRefused => {
  if (isUnsafeService(answer)) return "unsafe_service";
  if (answer.kind !== "unauthorized") return "unreachable";
  const { why } = answer;
  switch (why) {
    case "invalid_client":
      return "denied";
    case "throttled":
      return "wait";
    case "unavailable":
      return "unreachable";
    default:
      return assertNever(why);
  }
};

/** Sends each call once; only a 401, which was not done, is sent again with a new token. Without a credential nothing is sent. */
export const createAuthorized = (ports: {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly secrets: Secrets;
}) => {
  let access = createAccess(ports);
  let credential = ports.secrets.load();

  const sendOnce = async (
    call: Call,
    current: Credential,
    granting: ReturnType<typeof createAccess>,
  ): Promise<{ answer: Answer; token: string | null }> => {
    const granted = await granting.token(current);
    if (granted.kind === "none") return { answer: granted.answer, token: null };
    const answer = await ports.transport.send({
      ...call,
      authorized: true,
      baseUrl: current.serviceUrl,
      token: granted.token,
    });
    return { answer, token: granted.token };
  };

  const send = async (call: Call): Promise<Answer> => {
    if (credential === null) return { kind: "unauthorized", why: "invalid_client", retryAfterMs: null };
    // An enrolment while the call is under way: what one book began never goes out under another's credential.
    const current = credential;
    const granting = access;
    const first = await sendOnce(call, current, granting);
    if (first.token === null || first.answer.kind !== "answer" || first.answer.status !== 401) return first.answer;
    granting.discard(first.token);
    if (credential !== current) return first.answer;
    return (await sendOnce(call, current, granting)).answer;
  };

  return {
    /** `unauthorized` without a credential, or where the service gives no token. Does not reject. */
    send,
    /** Whether the service is there and the credential holds; needs no call beyond authorize while no token is held. */
    async probe(): Promise<Answer> {
      if (credential === null) return { kind: "unauthorized", why: "invalid_client", retryAfterMs: null };
      const granted = await access.token(credential);
      if (granted.kind === "none") return granted.answer;
      if (granted.answer !== null) return granted.answer;
      return ports.transport.send({
        baseUrl: credential.serviceUrl,
        method: "GET",
        path: "/healthz",
        timeoutMs: callTimeoutMs,
        authorized: false,
        token: null,
      });
    },
    /** Tries a credential; it replaces the one in use only when the service takes it and it may still be replaced then. */
    async enroll(candidate: Credential, mayReplace: () => boolean): Promise<"accepted" | "busy" | WhyRefused> {
      const trial = createAccess(ports);
      const granted = await trial.token(candidate);
      if (granted.kind === "none") return whyRefused(granted.answer);
      if (!(await ports.secrets.save(candidate, mayReplace))) return "busy";
      credential = candidate;
      access = trial;
      return "accepted";
    },
  };
};
