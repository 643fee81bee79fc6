from zerocts import main

main()
