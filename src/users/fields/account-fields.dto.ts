import { IsEmailAddress, IsPersonName, IsUsername } from './account-fields.decorator.js';

/** What somebody says of themselves to have an account. */
export class AccountFieldsDto {
  @IsPersonName('Lovelace')
  last_name: string;

  @IsPersonName('Ada')
  first_name: string;

  @IsUsername()
  username: string;

  @IsEmailAddress()
  email: string;
}
