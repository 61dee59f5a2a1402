import { client } from './generated/client.gen.js';
import {
  changeProfile,
  getProfile,
  itsNotMe,
  listLoginHistory,
  login,
  logout,
  refreshToken,
  register,
  resetPassword,
  verifyOtp,
} from './generated/sdk.gen.js';
import type { LoggedInDto } from './generated/types.gen.js';
import { expect, type World } from './world.js';

/** A whole life of an account, with a client made by @hey-api/openapi-ts. */
export async function journey({ url, apiKey, person, secretOf }: World): Promise<void> {
  const { email, username, password } = person;
  let tokens: Pick<LoggedInDto, 'token' | 'refresh_token'> | undefined;
  client.setConfig({
    baseUrl: url,
    // By the document's own security schemes: the client knows which request wants which.
    auth: ({ type }) => (type === 'apiKey' ? apiKey : tokens?.token),
  });

  const registered = await register({ body: { ...person, password_confirmation: password } });
  expect(registered.data?.data.user.email, email);
  const early = await login({ body: { login: username, password } });
  expect(early.error?.code, 'email_not_verified');
  await verifyOtp({ body: { email, otp: await secretOf(email, 'email-verification') }, throwOnError: true });
  tokens = (await login({ body: { login: username, password }, throwOnError: true })).data.data;

  expect((await getProfile({ throwOnError: true })).data.data.username, username);
  const refused = await changeProfile({ body: { first_name: 'A' } });
  if (refused.error?.code !== 'validation_failed') throw new Error(`${refused.error?.code} instead of a refusal`);
  expect(refused.error.errors[0]?.field, 'first_name');
  const wrong = await login({ body: { login: username, password: 'Wrong-horse7!' } });
  expect(wrong.error?.code, 'invalid_credentials');
  expect(typeof wrong.error?.attempts_remaining, 'number');

  const { data: refreshed } = await refreshToken({
    body: { refresh_token: tokens.refresh_token },
    throwOnError: true,
  });
  tokens = refreshed.data;
  const history = await listLoginHistory({ query: { limit: 1 }, throwOnError: true });
  expect(history.data.data.content[0]?.current, true);

  await itsNotMe({ body: { refresh_token: tokens.refresh_token }, throwOnError: true });
  expect((await getProfile()).error?.code, 'reported_not_me');
  expect((await login({ body: { login: email, password } })).error?.code, 'password_reset_required');
  const newPassword = 'Another-Horse8!';
  await resetPassword({
    body: { token: await secretOf(email, 'security-alert'), password: newPassword, password_confirmation: newPassword },
    throwOnError: true,
  });
  tokens = (await login({ body: { login: email, password: newPassword }, throwOnError: true })).data.data;
  await logout({ body: { refresh_token: tokens.refresh_token }, throwOnError: true });
  expect((await getProfile()).error?.code, 'logged_out');
}
