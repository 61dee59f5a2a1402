import { ApiProperty } from '@nestjs/swagger';
import { MaxLength, MinLength } from 'class-validator';
import { IsOpaqueText, IsPlainText, Trimmed } from '../../common/validation/index.js';
import { UserDto } from '../../users/index.js';
import { TokensDto } from './tokens.dto.js';

export class LoginDto {
  @ApiProperty({
    minLength: 1,
    maxLength: 254,
    example: 'ada_lovelace',
    description: 'Username or e-mail address, in any case; blanks around it do not count',
  })
  @MaxLength(254, { message: 'login must be at most 254 characters long' })
  @MinLength(1, { message: 'login must not be empty' })
  @IsPlainText()
  @Trimmed()
  login: string;

  @IsOpaqueText({ maxLength: 1024, format: 'password', example: 'Correct-Horse7!' })
  password: string;
}

export class LoggedInDto extends TokensDto {
  @ApiProperty()
  user: UserDto;
}
