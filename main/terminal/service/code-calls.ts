/** The calls that need no key: one-time codes of the service's operator against a key, or against a new manager's PIN. */
import type { Transport } from "../ports.ts";
import { callTimeoutMs } from "../state/bounds.ts";
import type { Device } from "../state/state.ts";
import {
  type EnrolmentAnswer,
  type ManagerResetAnswer,
  readEnrolmentAnswer,
  readManagerResetAnswer,
} from "./enrolment-answer.ts";

/** Each code is redeemed by one call, which is not repeated. */
export const createCodeCalls = (transport: Transport) => {
  const redeem = (baseUrl: string, path: string, body: unknown) =>
    transport.send({ method: "POST", baseUrl, path, body, timeoutMs: callTimeoutMs, authorized: false, token: null });
  return {
    /** Turns a one-time code into an access key, once; `wait` after too many wrong ones. */
    redeemEnrolmentCode: async (serviceUrl: string, code: string): Promise<EnrolmentAnswer> =>
      readEnrolmentAnswer(serviceUrl, await redeem(serviceUrl, "/ext/v1/enrolments", { code })),
    /** Redeems the operator's code for a forgotten manager's PIN at the service of `device`, with no key of its own. */
    async redeemManagerReset({ serviceUrl, merchantId, deviceId }: Device, code: string): Promise<ManagerResetAnswer> {
      const body = { merchant_id: merchantId, device_id: deviceId, code };
      return readManagerResetAnswer(await redeem(serviceUrl, "/ext/v1/manager-resets", body));
    },
  };
};
