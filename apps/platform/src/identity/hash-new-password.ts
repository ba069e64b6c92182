import { Failure } from "@tollgate/contracts/failures.ts";
import {
  findPasswordProblem,
  normalizePassword,
  type PasswordOwner,
} from "@tollgate/domain/identity/check-password.ts";
import type { Services } from "../services.ts";

/** Hashes a new password if it meets the password policy. */
export async function hashNewPassword(services: Services, password: string, owner: PasswordOwner): Promise<string> {
  const problem = findPasswordProblem(password, owner, services.settings().auth.passwordMinLength);
  if (problem !== null) throw new Failure("WEAK_PASSWORD", `The password ${problem}.`);
  return services.passwords.hash(normalizePassword(password));
}
