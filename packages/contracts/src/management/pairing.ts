import Type from "typebox";
import { idOf, Time } from "./fields.ts";

/**
 * An unauthenticated client sends this text, and the approving user sees it, so it must not contain invisible or
 * text-reversing characters.
 */
const ClientName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: "^[^\\x00-\\x1f\\x7f-\\x9f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]*$",
});

const PairingStatus = Type.Union([
  Type.Literal("pending"),
  Type.Literal("approved"),
  Type.Literal("denied"),
  Type.Literal("claimed"),
  Type.Literal("expired"),
]);

export const NewPairingBody = Type.Object({
  clientName: ClientName,
});

/**
 * Response to the terminal that requested the pairing. The terminal keeps the secret, and the browser shows the code.
 */
export const NewPairingAnswer = Type.Object({
  pairing: Type.Object({
    id: idOf("pair"),
    code: Type.String({ description: "For example, `7Q4K-M2XD`" }),
    secret: Type.String(),
    confirmUrl: Type.String(),
    expiresAt: Time,
    intervalSeconds: Type.Integer({ description: "Seconds to wait between attempts to claim it" }),
  }),
});

/** The pairing as shown to the user in the browser. */
export const PairingAnswer = Type.Object({
  pairing: Type.Object({
    code: Type.String(),
    clientName: Type.String(),
    ip: Type.String(),
    createdAt: Time,
    expiresAt: Time,
    status: PairingStatus,
  }),
});

export const PairingParams = Type.Object({ code: Type.String({ minLength: 1, maxLength: 300 }) });

export const ClaimPairingBody = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 300 }),
  secret: Type.String({ minLength: 1, maxLength: 200 }),
});

export const PendingPairing = Type.Object({ status: Type.Literal("pending") });
