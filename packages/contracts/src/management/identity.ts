import Type from "typebox";
import { Email, idOf, Name, nullable, Time } from "./fields.ts";

// The rules for new passwords are in the domain package. This limit only prevents hashing oversized passwords.
const Password = Type.String({ minLength: 1, maxLength: 1_024 });
const Code = Type.String({ minLength: 6, maxLength: 16 });
const LinkToken = Type.String({ minLength: 1, maxLength: 200 });

export const SignUpRequest = Type.Object({
  email: Email,
  password: Password,
  name: Type.Optional(Name),
  organizationName: Type.Optional(Name),
  inviteToken: Type.Optional(LinkToken),
  bootstrapSecret: Type.Optional(Type.String({ minLength: 1, maxLength: 1_024 })),
});

export const LoginRequest = Type.Object({ email: Email, password: Password, totp: Type.Optional(Code) });
/** The login fields, or a bearer token instead. */
export const CookieRequest = Type.Partial(LoginRequest);
export const ReauthenticateRequest = Type.Object({ password: Password, totp: Type.Optional(Code) });
export const ChangePasswordRequest = Type.Object({ currentPassword: Password, newPassword: Password });
export const ForgotPasswordRequest = Type.Object({ email: Email });
export const ResetPasswordRequest = Type.Object({ token: LinkToken, newPassword: Password });
export const VerifyEmailRequest = Type.Object({ token: LinkToken });
export const ActiveOrganizationRequest = Type.Object({ organizationId: Type.String({ minLength: 1, maxLength: 300 }) });
export const ConfirmTotpRequest = Type.Object({ code: Code });

export const TokenResponse = Type.Object({ token: Type.String(), expiresAt: Time });

export const PlatformRoleName = Type.Union([Type.Literal("user"), Type.Literal("admin")]);

/** The signed-in user's own profile. */
export const SignedInUser = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  name: Type.String(),
  role: PlatformRoleName,
  emailVerified: Type.Optional(Type.Boolean()),
  totpEnabled: Type.Optional(Type.Boolean()),
});

export const SignUpResponse = Type.Object({
  user: SignedInUser,
  organization: Type.Object({ id: idOf("org"), name: Type.String(), personal: Type.Boolean() }),
  team: nullable(Type.Object({ id: idOf("team"), name: Type.String(), status: Type.String() })),
  activeOrganizationId: idOf("org"),
  token: Type.String(),
  expiresAt: Time,
});

export const SentResponse = Type.Object({ status: Type.String() });

export const MeResponse = Type.Object({
  user: SignedInUser,
  activeOrganizationId: nullable(Type.String()),
  session: Type.Object({ id: idOf("ses"), expiresAt: Time }),
});

export const Session = Type.Object({
  id: idOf("ses"),
  createdAt: Time,
  lastSeenAt: Time,
  expiresAt: Time,
  userAgent: nullable(Type.String()),
  ip: nullable(Type.String()),
  current: Type.Boolean(),
});

export const TotpResponse = Type.Object({ secret: Type.String(), otpauthUrl: Type.String() });
