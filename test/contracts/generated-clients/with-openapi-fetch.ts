import createClient from 'openapi-fetch';
import type { paths } from './generated/schema.js';
import { expect, type World } from './world.js';

/** A whole life of an account, with types made by openapi-typescript and requests made by openapi-fetch. */
export async function journey({ url, apiKey, person, secretOf }: World): Promise<void> {
  const api = createClient<paths>({ baseUrl: url });
  const { email, username, password } = person;

  const registered = await api.POST('/auth/register', { body: { ...person, password_confirmation: password } });
  expect(registered.data?.data.user.username, username);
  const early = await api.POST('/auth/login', { body: { login: email, password } });
  expect(early.error?.code, 'email_not_verified');
  expect(typeof early.error?.resend_available_at, 'string');

  const verified = await api.POST('/auth/verify-otp', {
    body: { email, otp: await secretOf(email, 'email-verification') },
  });
  expect(verified.data?.data.verified, true);
  const login = await api.POST('/auth/login', { body: { login: email, password } });
  if (!login.data) throw new Error(login.error.code);
  let { token, refresh_token } = login.data.data;
  const headers = () => ({ 'x-api-key': apiKey, authorization: `Bearer ${token}` });

  const profile = await api.GET('/api/profile', { headers: headers() });
  expect(profile.data?.data.email, email);
  const changed = await api.PATCH('/api/profile', { headers: headers(), body: { first_name: 'Augusta' } });
  expect(changed.data?.data.first_name, 'Augusta');
  const refused = await api.PATCH('/api/profile', { headers: headers(), body: { username: '!' } });
  if (refused.error?.code !== 'validation_failed') throw new Error(`${refused.error?.code} instead of a refusal`);
  expect(refused.error.errors[0]?.field, 'username');

  const refreshed = await api.POST('/auth/refresh-token', { body: { refresh_token } });
  if (!refreshed.data) throw new Error(refreshed.error.code);
  ({ token, refresh_token } = refreshed.data.data);
  const history = await api.GET('/api/login-history', { headers: headers(), params: { query: { page: 1, limit: 5 } } });
  expect(history.data?.data.pagination.total, 1);
  const session = history.data?.data.content[0];
  expect(session?.devices?.source, 'unknown');

  await api.POST('/auth/forgot-password', { body: { email } });
  const newPassword = 'Another-Horse8!';
  const reset = await api.POST('/auth/reset-password', {
    body: { token: await secretOf(email, 'password-reset'), password: newPassword, password_confirmation: newPassword },
  });
  expect(reset.response.status, 200);
  const after = await api.GET('/api/profile', { headers: headers() });
  expect(after.error?.code, 'password_changed');

  const again = await api.POST('/auth/login', { body: { login: username, password: newPassword } });
  if (!again.data) throw new Error(again.error.code);
  ({ token, refresh_token } = again.data.data);
  const ended = await api.DELETE('/api/login-history/{id}', {
    headers: headers(),
    params: { path: { id: '0123456789abcdef01234567' } },
  });
  expect(ended.error?.code, 'not_found');
  const logout = await api.POST('/auth/logout', { headers: headers(), body: { refresh_token } });
  expect(logout.data?.status, 'SUCCESS');
}
