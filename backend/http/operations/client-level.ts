import { z } from "zod";
import { checkIn } from "../../checkin/check-in.ts";
import {
  checkinBodySchema,
  checkinReplySchema,
  createUserBodySchema,
  createUserReplySchema,
} from "../../contract/client.ts";
import { example, field } from "../../contract/field.ts";
import { createUser } from "../../users/create-user.ts";
import { json, type Operation, operation } from "../operation.ts";
import { requestIdLengthMax } from "../request.ts";
import { clientOf } from "../serve-operation.ts";

const requestIdHeaders = z.object({
  "x-request-id": field(
    z.string().max(requestIdLengthMax).optional(),
    "Yours for this request; comes back with the answer.",
    example.requestId,
  ),
});

/** Check-in and user creation. */
export const clientLevelOperations: readonly Operation[] = [
  /** `POST /api/v7/partnerCheckin` (interface 4.3). */
  operation({
    id: "partnerCheckin",
    method: "post",
    path: "/api/v7/partnerCheckin",
    tag: "Client",
    section: "4.3",
    summary: "Check a user in to the web SDK",
    description: "Returns the user's status and a destination url for the user's browser.",
    conventions: [
      "Replies 200 with `status` `new`, `active` or `blocked`, `destination_url` and `expires_at`; a blocked user has neither.",
      "`destination_url` is the web-SDK page of this service, valid once, for 10 minutes. `balance` is a decimal string with the currency's minor digits and caps what can be asked; `urlBack` is https, or http on a loopback host.",
    ],
    scopes: ["checkin"],
    body: checkinBodySchema,
    replies: { 200: json("The user's status and where to send the browser.", checkinReplySchema) },
    handle: ({ app, session, body }) =>
      checkIn(app.service, app.access.tokens, clientOf(session), body, app.publicUrl()),
  }),
  /** `POST /api/v2/users` (interface 4.9), with errors of the published shape. */
  operation({
    id: "createUser",
    method: "post",
    path: "/api/v2/users",
    tag: "Client",
    section: "4.9",
    summary: "Create a new user",
    description:
      "Needs the client-level token. `X-Request-Id` (at most 255 characters) comes back; absent, a random one does. The reply holds the password in plain text.",
    conventions: [
      "Replies 201. `id` (1 to 36 of `0-9A-Za-z-_.+@`) and `password` (6 to 128) are generated when absent; `email` and `phone` are left out of the reply when absent; `isAutoUpdateEnabled` is false unless sent.",
      "Text fields take only `A-Z a-z 0-9`, U+00A1 to U+02AF, space and ``&(){}[].:,;?!+-_$@#~`\\^€``. An `X-Request-Id` over 255 characters is 400 `BAD_REQUEST`.",
      "Ids are case-insensitive: a second one is 422 `ENTITY_EXISTS`. Ids are apart for each partner.",
      "Errors on this path alone take the published shape `{errors: [{message, code, type}], date, requestId, endpoint, authContext}`; 401 is `{error, error_description}`.",
    ],
    scopes: ["users"],
    errorShape: "users",
    headers: requestIdHeaders,
    body: createUserBodySchema,
    replies: { 201: json("The user, with the password.", createUserReplySchema) },
    errors: ["too_many_requests"],
    handle: ({ app, session, body }) => createUser(app.service, app.access.userSecrets, clientOf(session), body),
  }),
];
