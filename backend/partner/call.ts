import type { Service } from "../context.ts";
import { type PartnerCallKind, partnerAnswers } from "../contract/partner.ts";
import { type PartnerAnswer, readPartnerAnswer, retryAfterMs } from "../contract/partner-answer.ts";
import { one } from "../store/store.ts";
import { raiseAlarm } from "./alarm.ts";
import { partnerAddress, signingKeys } from "./bound-partners.ts";
import { partnerById } from "./partner-store.ts";
import { calendarOf, signedHeaders } from "./sign.ts";

/** One try of one order. */
export interface PartnerCall {
  readonly kind: PartnerCallKind;
  readonly partnerId: string;
  readonly transactionId: string;
  /** The bank's own name for the withdrawal, sent as `Partner-Reference`. */
  readonly partnerReference: string | null;
  readonly path: string;
  /** The `webhook-id`. */
  readonly id: string;
  readonly body: string;
  readonly attempt: number;
  /** Whether an earlier try may have reached the bank: a status code alone then decides nothing. */
  readonly afterUnansweredTry: boolean;
  readonly timeoutMs: number;
  /** Asked at the last moment before the call goes out; where it says no, the answer is `notSent`. Default: yes. */
  readonly maySend?: () => Promise<boolean>;
}

/** Nothing went out, so the bank knows nothing of this try. */
export const notSent: PartnerAnswer = { kind: "none", why: "not_sent" };

/** One signed call. Never throws: whatever is no definite answer is `none`, with the reason. */
export const callPartner = async (service: Service, call: PartnerCall): Promise<PartnerAnswer> => {
  const startedAt = service.clock.now();
  const answer = await send(service, call);
  if (answer === notSent) return answer;
  service.telemetry.partnerCall(call.kind, answer.kind, Math.max(0, service.clock.now() - startedAt));
  if (answer.kind === "none") raiseAlarm(service, call, answer.why);
  return answer;
};

const send = async (service: Service, call: PartnerCall): Promise<PartnerAnswer> => {
  try {
    const address = await addressOf(service, call.partnerId);
    if ("why" in address) return { kind: "none", why: address.why };
    if (call.maySend && !(await call.maySend())) return notSent;
    const reply = await service.transport.post({
      url: `${address.url.replace(/\/+$/, "")}${call.path}`,
      headers: {
        ...signedHeaders(address.keys, call.id, calendarOf(service.clock), call.body),
        ...(call.partnerReference === null ? {} : { "partner-reference": call.partnerReference }),
      },
      body: call.body,
      timeoutMs: call.timeoutMs,
    });
    const rules = { answers: address.answers, afterUnansweredTry: call.afterUnansweredTry };
    const answer = readPartnerAnswer(reply.status, reply.body, rules);
    if (answer.kind !== "none") return answer;
    return { ...answer, retryAfterMs: retryAfterMs(reply.status, reply.retryAfter, service.clock.now()) };
  } catch (error) {
    return { kind: "none", why: error instanceof Error ? error.message.slice(0, 200) : "failed" };
  }
};

const addressOf = async (service: Service, partnerId: string) => {
  const row = await service.store.read(() => one(partnerById({ id: partnerId })), true);
  const address = partnerAddress(service.options, partnerId, row);
  if (address === null) return { why: row?.url && row.secret ? "not_usable" : "no_address" };
  const keys = signingKeys(service.options, address, row, service.clock.now());
  return { url: address.url, keys, answers: row?.answers ?? partnerAnswers[0] };
};
