/**
 * Exports of `@tollgate/sdk/training`: a participant for training rounds and the helpers its functions need. The published
 * package contains the compiled participant instead of this file.
 */

export * from "@tollgate/participant/training";
