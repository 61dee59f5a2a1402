import { IsOpaqueText } from '../../common/validation/index.js';

export class LoginReportDto {
  @IsOpaqueText({
    maxLength: 1024,
    example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImxvZ2luLXJlcG9ydCtqd3QifQ.e30.Zm9yZ2Vk',
    description: 'The token of the link in the mail about a new login',
  })
  token: string;
}
