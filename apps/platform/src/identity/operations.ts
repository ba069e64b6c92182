import type { ManagementOperation } from "../operation.ts";
import { createCookieSession, deleteCookieSession } from "./cookie-session.ts";
import { createToken } from "./create-token.ts";
import { getMe, updateActiveOrganization } from "./me.ts";
import { confirmTotpOperation, createTotp, deleteTotp } from "./one-time-codes.ts";
import { reauthenticate } from "./reauthenticate.ts";
import { refreshToken } from "./refresh-token.ts";
import { forgotPassword, resetPassword } from "./reset-password.ts";
import { deleteSession, listSessionsOperation, logout } from "./sessions.ts";
import { signUp } from "./sign-up.ts";
import { updatePassword } from "./update-password.ts";
import { verifyEmail } from "./verify-email.ts";

export const identityOperations: readonly ManagementOperation[] = [
  signUp,
  createToken,
  refreshToken,
  getMe,
  updateActiveOrganization,
  logout,
  listSessionsOperation,
  deleteSession,
  updatePassword,
  forgotPassword,
  resetPassword,
  verifyEmail,
  createCookieSession,
  deleteCookieSession,
  reauthenticate,
  createTotp,
  confirmTotpOperation,
  deleteTotp,
];
