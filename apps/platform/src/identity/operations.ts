import type { ManagementOperation } from "../operation.ts";
import { changePassword } from "./change-password.ts";
import { createCookieSession, deleteCookieSession } from "./cookie-session.ts";
import { createToken } from "./create-token.ts";
import { getMe, setActiveOrganization } from "./me.ts";
import { confirmTotpSecret, deleteTotp, startTotp } from "./one-time-codes.ts";
import { reauthenticate } from "./reauthenticate.ts";
import { refreshToken } from "./refresh-token.ts";
import { forgotPassword, resetPassword } from "./reset-password.ts";
import { deleteSession, listOwnSessions, logout } from "./sessions.ts";
import { signUp } from "./sign-up.ts";
import { verifyEmail } from "./verify-email.ts";

export const identityOperations: readonly ManagementOperation[] = [
  signUp,
  createToken,
  refreshToken,
  getMe,
  setActiveOrganization,
  logout,
  listOwnSessions,
  deleteSession,
  changePassword,
  forgotPassword,
  resetPassword,
  verifyEmail,
  createCookieSession,
  deleteCookieSession,
  reauthenticate,
  startTotp,
  confirmTotpSecret,
  deleteTotp,
];
