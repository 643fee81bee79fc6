function(zerocts_print_summary)
endfunction()
